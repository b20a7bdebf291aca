"""How strongly each number of a study's table is coloured, and what the colour means.

Where vectors were also measured as they are, colour is the change against that: of a measure, the
largest change in the study has the full colour. Else it runs from the best to the worst value of
the measure. Values are taken as they are printed, so that equal numbers have equal colours.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from unslant.core.study_record import StudyPart, StudyTable
from unslant.reports.as_printed import digits_of, gaps_as_printed
from unslant.reports.figures.study_values import originals

_SMALLEST = 1e-12


@dataclass(frozen=True)
class Heat:
    """A strength from −1 (worse) to 1 (better) for each cell, or None if undecidable.

    ``sides`` are the meanings of the colours; ``title`` and ``caption`` are those of a picture.
    """

    of: Sequence[Sequence[float | None]]
    sides: tuple[str, ...]
    title: str
    caption: str

    def side(self, strength: float) -> str:
        """The name of the colour."""
        return self.sides[0] if strength > 0 else self.sides[-1]


_CHANGE = (
    ("better than without a method", "worse than without a method"),
    "What each method does to each measure",
    "Colour shows how much closer to the better side, or further from it, a number is than that of "
    "the same vectors without a method; the largest change of each measure has the full colour, "
    "so colours of two measures do not compare.",
)
_VALUE = (
    ("worse than the best",),
    "Every measure",
    "Colour runs from none for the best number of a measure to full for the worst, so colours of "
    "two measures do not compare.",
)


def heats(study: StudyPart, table: StudyTable) -> Heat:
    """The strength of every cell of the table."""
    unchanged = originals(study)
    first = {
        row.key[0]: order
        for order, row in reversed(list(enumerate(table.rows)))
        if row.key[1] in unchanged
    }
    is_change = any(row.key[1] not in unchanged for row in table.rows) and bool(first)
    columns = []
    for place, column in enumerate(table.columns):
        cells = table.column(place)
        bad = gaps_as_printed(cells, column.better, digits_of(cells))
        if is_change:
            before = [bad[first[row.key[0]]] if row.key[0] in first else None for row in table.rows]
            columns.append(_scaled([_less(old, new) for old, new in zip(before, bad, strict=True)]))
        else:
            best = min((one for one in bad if one is not None), default=None)
            columns.append(_scaled([_less(best, one) for one in bad]))
    return Heat(list(zip(*columns, strict=True)), *(_CHANGE if is_change else _VALUE))


def _less(old: float | None, new: float | None) -> float | None:
    return None if old is None or new is None else old - new


def _scaled(changes: Sequence[float | None]) -> list[float | None]:
    largest = max((abs(change) for change in changes if change is not None), default=0.0)
    scale = largest if largest > _SMALLEST else 1.0
    return [None if change is None else change / scale for change in changes]
