"""The verdict on a study: which methods are shown to change the bias, and what became of quality.

Cells of a study are not paired. A row therefore differs from the original only if their intervals
do not overlap, as distances from the best value; a smaller bias must also beat every control row
with random directions removed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Literal, NamedTuple

from unslant.core.finding import BiasOutcome, Conclusion, QualityOutcome
from unslant.core.record import Meaning, Record
from unslant.core.score import better_side
from unslant.core.study_record import StudyCell
from unslant.core.verdicts.changes import is_more_than_chance
from unslant.core.wording import UNDECIDED

# The cells of a study by resource, method, measure and concept, all seeds together.

CONTROL = "random"
"""The method that removes a random direction instead of that of the concept."""


class CellPlace(NamedTuple):
    """What two rows must have in common to be compared."""

    resource: str
    measure: str
    concept: str


@dataclass(frozen=True, kw_only=True)
class Spread:
    """One number of a method: how bad it is, and between which gaps it lies for sure.

    Over several seeds, ``gap`` is the mean, ``least`` that of the best seed, and ``gaps`` reach
    from the lowest end of any interval to the highest; None if a seed has no interval.
    """

    place: CellPlace
    method: str
    expression: str
    gap: float
    least: float
    gaps: tuple[float, float] | None
    words: frozenset[str]

    @property
    def is_original(self) -> bool:
        """Whether no method was applied."""
        return not self.expression

    @property
    def is_control(self) -> bool:
        """Whether a random direction was removed."""
        return re.split(r"[(@]", self.expression, maxsplit=1)[0].strip() == CONTROL


def spreads_of(cells: Sequence[StudyCell]) -> list[Spread]:
    """Every number that has a value and a better side, in the order of the cells."""
    grouped: dict[tuple[CellPlace, str], list[StudyCell]] = {}
    for cell in cells:
        place = CellPlace(cell.resource, cell.measure, cell.concept)
        grouped.setdefault((place, cell.method), []).append(cell)
    found = (_spread(place, some) for (place, _), some in grouped.items())
    return [spread for spread in found if spread is not None]


def _spread(place: CellPlace, cells: Sequence[StudyCell]) -> Spread | None:
    first = cells[0]
    better = better_side(first.better)
    values = [cell.value for cell in cells if cell.value is not None]
    if better is None or len(values) < len(cells):
        return None
    each = [better.gap(value) for value in values]
    ends = [better.gaps(cell.interval.low, cell.interval.high) for cell in cells if cell.interval]
    has_all = len(ends) == len(cells)
    return Spread(
        place=place,
        method=first.method,
        expression=first.method_expression,
        gap=fsum(each) / len(each),
        least=min(each),
        gaps=(min(low for low, _ in ends), max(high for _, high in ends)) if has_all else None,
        words=frozenset(cell.words for cell in cells),
    )


Side = Literal["better", "worse", "unclear"]

_MOST_NAMED = 3


@dataclass(kw_only=True)
class Tally:
    """How often a method is clearly better or worse than the original, and out of how many."""

    method: str
    sides: list[Side] = field(default_factory=list)

    @property
    def better(self) -> int:
        """The comparisons in which it is clearly better."""
        return self.sides.count("better")

    @property
    def worse(self) -> int:
        """The comparisons in which it is clearly worse."""
        return self.sides.count("worse")

    def is_clearly(self, side: Side) -> bool:
        """Whether there are more such comparisons than would be by chance."""
        return is_more_than_chance(self.sides.count(side), len(self.sides))


def study_conclusion(record: Record) -> Conclusion:
    """The conclusion of a study about its methods, over all resources and measures."""
    assert record.study is not None, "only records about a study have this conclusion"
    bias = _of_kind(record, is_quality=False)
    quality = _of_kind(record, is_quality=True)
    outcome, said = _bias(bias, _why_none(record.study.cells))
    kept, told = _quality(quality)
    return Conclusion(
        level="not judged", sentence=f"{said} {told}".strip(), outcome=outcome, quality=kept
    )


def _of_kind(record: Record, *, is_quality: bool) -> list[Tally]:
    assert record.study is not None
    cells = [
        cell
        for cell in record.study.cells
        if (_kind(record.glossary.get(cell.metric)) == "quality") is is_quality
        and _kind(record.glossary.get(cell.metric)) != "background"
    ]
    return list(tallies(cells, must_beat_controls=not is_quality))


def _kind(meaning: Meaning | None) -> str:
    if meaning is None:
        return "bias"
    return "quality" if "quality" in (meaning.role, meaning.tells) else meaning.tells


def tallies(cells: Sequence[StudyCell], *, must_beat_controls: bool = True) -> Iterator[Tally]:
    """Each method's changes against the original, without controls and incomparable methods.

    The method with the most improvements comes first.
    """
    spreads = spreads_of(cells)
    originals = {spread.place: spread for spread in spreads if spread.is_original}
    controls: dict[CellPlace, list[Spread]] = {}
    for spread in spreads:
        if spread.is_control:
            controls.setdefault(spread.place, []).append(spread)
    found: dict[str, Tally] = {}
    for spread in spreads:
        first = originals.get(spread.place)
        if spread.is_control or spread.is_original or first is None:
            continue
        side = _side(spread, first, controls.get(spread.place, []) if must_beat_controls else [])
        if side is not None:
            found.setdefault(spread.method, Tally(method=spread.method)).sides.append(side)
    yield from sorted(found.values(), key=lambda tally: tally.worse - tally.better)


def _side(now: Spread, first: Spread, controls: Sequence[Spread]) -> Side | None:
    """Whether a row differs from the original for sure; None if they cannot be compared."""
    if now.gaps is None or first.gaps is None or now.words != first.words:
        return None
    if now.gaps[0] > first.gaps[1]:
        return "worse"
    if now.gaps[1] < first.gaps[0] and all(now.gap < other.least for other in controls):
        return "better"
    return "unclear"


def _why_none(cells: Sequence[StudyCell]) -> str:
    """Why no method can be compared with the original."""
    if all(cell.method_expression for cell in cells):
        return "the study has no row without a method"
    if all(not cell.method_expression for cell in cells):
        return "the study has no method"
    return "no measure has intervals on the same words with and without a method"


def _bias(found: Sequence[Tally], why_none: str) -> tuple[BiasOutcome | None, str]:
    if not found:
        said = f"{UNDECIDED}: whether a method changed the bias cannot be judged"
        return None, f"{said}, because {why_none}."
    helped = [tally for tally in found if tally.is_clearly("better")]
    harmed = [tally for tally in found if tally.is_clearly("worse")]
    total = len(found)
    if not helped and not harmed:
        said = f"{UNDECIDED}: {_none_of(total)} shown to change the bias ({_counts(found)})."
        return "undecided", said
    parts = []
    if helped:
        parts.append(f"{_named(helped, 'better')} reduced the bias")
    if harmed:
        parts.append(f"{_named(harmed, 'worse')} increased {'it' if helped else 'the bias'}")
    others = total - len({tally.method for tally in [*helped, *harmed]})
    said = "; ".join(parts)
    if others:
        said += f"; {others} other {'method is' if others == 1 else 'methods are'} not shown to"
        said += " change it"
    outcome: BiasOutcome = "mixed" if helped and harmed else "reduced" if helped else "worse"
    return outcome, f"{said}."


def _quality(found: Sequence[Tally]) -> tuple[QualityOutcome | None, str]:
    if not found:
        return None, "Quality was not compared."
    lost = [tally for tally in found if tally.is_clearly("worse")]
    if lost:
        return "lost", f"{_named(lost, 'worse')} lost quality."
    return "unclear", "No method is shown to lose quality."


def _counts(found: Sequence[Tally]) -> str:
    better, worse = sum(tally.better for tally in found), sum(tally.worse for tally in found)
    of = sum(len(tally.sides) for tally in found)
    noun = "comparison" if of == 1 else "comparisons"
    return f"clearly better in {better or 'none'} of {of} {noun}, worse in {worse or 'none'}"


def _none_of(total: int) -> str:
    return "the only method is not" if total == 1 else f"none of {total} methods is"


def _named(found: Sequence[Tally], side: Side) -> str:
    """Methods with their counts, the first few by name."""
    named = [
        f"“{tally.method}” ({side} in {tally.sides.count(side)} of {len(tally.sides)} comparisons"
        f"{_against(tally, side)})"
        for tally in found[:_MOST_NAMED]
    ]
    if len(found) > _MOST_NAMED:
        named.append(f"{len(found) - _MOST_NAMED} more")
    return " and ".join([*([", ".join(named[:-1])] if named[1:] else []), named[-1]])


def _against(tally: Tally, side: Side) -> str:
    """Changes in the opposite direction."""
    if side == "better":
        return f", worse in {tally.worse or 'none'}"
    return f", better in {tally.better}" if tally.better else ""
