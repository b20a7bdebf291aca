"""A pair, and the words and numbers that files use for its label."""

from typing import NamedTuple

from unslant.core.visible import legible
from unslant.datasets.nli.lines import BadLine

LABELS = ("entailment", "neutral", "contradiction")
"""The order of the three probabilities everywhere."""

ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)

_NAMED = {name: place for place, name in enumerate(LABELS)}
_NUMBERED = {"1": NEUTRAL, "2": CONTRADICTION, "3": ENTAILMENT}
_NO_LABEL = {"-", "hidden"}  # no majority among the annotators; withheld by MultiNLI


class LabelledPair(NamedTuple):
    """Two sentences and the index of their label in ``LABELS``."""

    premise: str
    hypothesis: str
    label: int


def pair_of(
    premise: str, hypothesis: str, label: str, *, numbered: bool = False
) -> LabelledPair | None:
    """The pair, or None if it has no label; an empty sentence is refused."""
    # Without a label the sentences are not used, so they are not checked.
    if label in _NO_LABEL:
        return None
    place = _NUMBERED.get(label) if numbered else _NAMED.get(label.lower())
    if place is None:
        known = "1, 2 or 3" if numbered else f"{', '.join(LABELS)} or -"
        raise BadLine(f'unknown label "{legible(label)}", expected {known}')
    for which, sentence in (("first", premise), ("second", hypothesis)):
        if not sentence or sentence.isspace():
            raise BadLine(f"the {which} sentence is empty, expected at least one word")
    return LabelledPair(premise, hypothesis, place)
