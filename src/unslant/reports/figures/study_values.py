"""Shared parts of study figures: which direction is better, the originals, texts."""

from unslant.core import wording
from unslant.core.better import better_side
from unslant.core.study_record import StudyPart, TableCell, TableColumn

FULL = 0.7
"""The most opaque that a cell is filled, so that the ink of both themes can be read on it."""


def marked(column: TableColumn) -> str:
    """The label of a column after a sign for its better side.

    >>> marked(TableColumn(label="MIDB", measure="MIDB", better="closer to 0"))
    '→0 MIDB'
    """
    better = better_side(column.better)
    return f"{better.sign} {column.label}" if better else column.label


def originals(study: StudyPart) -> set[str]:
    """The labels of the methods that leave the vectors as they are."""
    found = {label for label, text in study.plan.expressions.items() if not text}
    return found | {cell.method for cell in study.cells if not cell.method_expression}


def span(cell: TableCell, digits: int = 3) -> str:
    """The interval of a cell as text, or the standard deviation of its seeds, or nothing."""
    if cell.interval:
        return wording.span(*cell.interval, digits)
    return f"± {wording.number(cell.sd, digits)}, {cell.n} seeds" if cell.sd is not None else "–"
