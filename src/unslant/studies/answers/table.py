"""The numbers of a study as a table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from unslant.core.better import better_side
from unslant.core.study_record import StudyTable, TableRow
from unslant.studies.answers.notes import notes
from unslant.studies.answers.pivot import USUAL, Pivot, pivot
from unslant.studies.answers.rows import DONE, Row


def table(
    rows: Sequence[Row], *, by: Sequence[str] = USUAL, better: Mapping[str, str] | None = None
) -> StudyTable:
    """Measures across, the sides ``by`` down, the best of each column.

    Best is by the direction of the measure among cells that used the same words; one cell alone
    is not the best of anything. Missing and failed cells are shown as such, and counted.
    """
    grid = pivot(rows, by=by, better=better)
    best = [_best(grid, place) for place in range(len(grid.columns))]
    return StudyTable(
        by=grid.by,
        columns=grid.columns,
        rows=tuple(
            TableRow(
                key=key,
                cells=tuple(
                    replace(cell, best=number in best[place]) for place, cell in enumerate(cells)
                ),
            )
            for number, (key, cells) in enumerate(zip(grid.keys, grid.cells, strict=True))
        ),
        notes=notes(grid),
    )


def _best(grid: Pivot, place: int) -> set[int]:
    better = better_side(grid.columns[place].better)
    if better is None:
        return set()
    losses = {
        number: better.gap(cells[place].value or 0.0)
        for number, cells in enumerate(grid.cells)
        if cells[place].state == DONE and not cells[place].other_words
    }
    least = min(losses.values(), default=math.inf)
    best = {number for number, size in losses.items() if size == least}
    return best if len(best) < len(losses) else set()
