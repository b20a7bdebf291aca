"""Tab-separated tables, with columns named by a header or fixed by the SNLI subsets."""

import re
from collections.abc import Callable, Sequence

from unslant.datasets.nli.labels import Pair, pair_of
from unslant.datasets.nli.lines import BadLine

_PREMISES = (
    ("sentence1",),
    ("sentence_A",),
    ("premise1", "premise2", "premise3", "premise4"),
    ("premise",),
)
_HYPOTHESES = ("sentence2", "sentence_B", "hypothesis")
_LABELS = ("gold_label", "entailment_judgment", "entailment_label", "label")
_IMAGE = re.compile(r"[^/\s]{1,80}\.jpg#\d{1,3}/")

Parse = Callable[[str], Pair | None]


def parser_for(header: str) -> Parse | None:
    """How to read the lines under this header, or None if it names no pairs."""
    names = header.split("\t")
    premises = next((group for group in _PREMISES if set(group) <= set(names)), None)
    hypothesis = next((name for name in _HYPOTHESES if name in names), None)
    label = next((name for name in _LABELS if name in names), None)
    if premises is None or hypothesis is None or label is None:
        return None
    places = [names.index(name) for name in premises]
    second, third = names.index(hypothesis), names.index(label)
    fewest = _fewest(names)

    def parse(text: str) -> Pair | None:
        cells = text.split("\t")
        if not fewest <= len(cells) <= len(names):
            raise _wrong_count(cells, len(names), "as in the header")
        parts = (_IMAGE.sub("", cells[place], count=1).strip() for place in places)
        return pair_of(" ".join(filter(None, parts)), cells[second], cells[third].strip())

    return parse


def parse_subset(text: str) -> Pair | None:
    """A line in the SNLI subsets: label, label, premise, hypothesis."""
    cells = text.split("\t")
    if len(cells) != 4:
        raise _wrong_count(cells, 4, "label, label, premise, hypothesis")
    if cells[0] != cells[1]:
        raise BadLine("the first two columns differ, expected the same label twice")
    return pair_of(cells[2], cells[3], cells[0], numbered=True)


def looks_like_subset(text: str) -> bool:
    """Whether a first line belongs to a subset."""
    cells = text.split("\t")
    return len(cells) == 4 and cells[0] in ("1", "2", "3") and cells[0] == cells[1]


def _fewest(names: Sequence[str]) -> int:
    """The official tables omit trailing columns of annotators who gave no answer."""
    count = len(names)
    while count and re.fullmatch(r"label\d", names[count - 1]):
        count -= 1
    return count


def _wrong_count(cells: Sequence[str], expected: int, which: str) -> BadLine:
    word = "column" if len(cells) == 1 else "columns"
    return BadLine(f"{len(cells):,} {word}, expected {expected} ({which}) separated by tabs")
