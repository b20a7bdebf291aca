"""The cells of a study by resource, method, measure and concept, all seeds together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

from unslant.core.better import better_side
from unslant.core.study_record import StudyCell

CONTROL = "random"
"""The method that removes a random direction instead of that of the concept."""


class Place(NamedTuple):
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

    place: Place
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
    grouped: dict[tuple[Place, str], list[StudyCell]] = {}
    for cell in cells:
        place = Place(cell.resource, cell.measure, cell.concept)
        grouped.setdefault((place, cell.method), []).append(cell)
    found = (_spread(place, some) for (place, _), some in grouped.items())
    return [spread for spread in found if spread is not None]


def _spread(place: Place, cells: Sequence[StudyCell]) -> Spread | None:
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
