"""Which rows are worth having: the Pareto front of two or more measures."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.score import Better, better_side
from unslant.core.study_record import RankedMeasure, RankedRow, Ranking, TableColumn, UnrankedRow
from unslant.core.types import Mask
from unslant.numerics.correlation import average_ranks
from unslant.studies.answers.pivot import USUAL, Pivot, Row, notes, pivot

MOST_ROWS = 5_000
"""Every row is held against every other: twice as many take four times the memory."""


def rank(
    rows: Sequence[Row],
    measures: Sequence[str] = (),
    *,
    by: Sequence[str] = USUAL,
    better: Mapping[str, str] | None = None,
) -> Ranking:
    """Order the rows by the measures named (all, where none is).

    A row dominates another that is nowhere better and somewhere worse. Front 1 is dominated by
    none, front 2 by rows of front 1 only, and so on; within a front the order is the mean rank
    over the measures. Rows with a missing number are left out and named.
    """
    grid = pivot(rows, by=by, better=better)
    named = dict.fromkeys(place for name in measures for place in grid.places(name))
    places = list(named) or range(len(grid.columns))
    columns = [grid.columns[place] for place in places]
    _check(columns)
    values = [[cells[place].value for place in places] for cells in grid.cells]
    full = [number for number, line in enumerate(values) if None not in line]
    if len(full) > MOST_ROWS:
        raise UnslantError(
            f"A ranking takes at most {MOST_ROWS:,} rows, and this has {len(full):,}. Let a row be "
            f"less, as with [[by=('method',)|--by method]]."
        )
    losses = np.array(
        [
            [Better.of(c.better).gap(v or 0.0) for v, c in zip(values[n], columns, strict=True)]
            for n in full
        ]
    ).reshape(len(full), len(columns))
    dominates = _dominates(losses)
    fronts, ranks = _fronts(dominates), average_ranks(losses.T).mean(axis=0)
    all_names = grid.names
    names = [all_names[number] for number in full]
    ties = _ties(losses)
    items = [
        RankedRow(
            name=names[i],
            key=grid.keys[number],
            front=fronts[i],
            mean_rank=float(ranks[i]),
            values=tuple(value for value in values[number] if value is not None),
            other_words=tuple(grid.cells[number][place].other_words for place in places),
            dominates=_named(names, dominates[i]),
            dominated_by=_named(names, dominates[:, i]),
            ties=_named(names, ties[i]),
        )
        for i, number in enumerate(full)
    ]
    left_out = [
        UnrankedRow(name=all_names[number], lacks=_lacks(grid, number, places))
        for number, line in enumerate(values)
        if None in line
    ]
    return Ranking(
        by=grid.by,
        measures=tuple(RankedMeasure(label=one.label, better=one.better) for one in columns),
        order=tuple(sorted(items, key=lambda item: (item.front, item.mean_rank))),
        left_out=tuple(left_out),
        notes=(*_notes(items, left_out), *notes(grid.only(places))),
    )


def _check(columns: Sequence[TableColumn]) -> None:
    if len(columns) < 2:
        raise UnslantError("A ranking weighs two measures or more, such as a bias and a quality.")
    for column in columns:
        if not better_side(column.better):
            raise UnslantError(
                f'Which way is better for "{column.label}" is not known. Say it with '
                f'[[better|--better]] "{column.label}=smaller", larger, or the number to be '
                f"close to; or name the "
                f"measures to rank by[[ (measures)| with --on]]."
            )


def _dominates(losses: NDArray[np.float64]) -> Mask:
    """Whether the row i (first axis) dominates the row j."""
    is_as_good = np.ones((len(losses), len(losses)), dtype=bool)
    is_better = ~is_as_good
    for column in losses.T:
        is_as_good &= column[:, None] <= column
        is_better |= column[:, None] < column
    return is_as_good & is_better


def _ties(losses: NDArray[np.float64]) -> Mask:
    """Whether two rows have exactly the same losses."""
    tied = ~np.eye(len(losses), dtype=bool)
    for column in losses.T:
        tied &= column[:, None] == column
    return tied


def _fronts(dominates: Mask) -> list[int]:
    fronts = np.zeros(len(dominates), dtype=np.int64)
    front = 0
    while (fronts == 0).any():
        front += 1
        left = fronts == 0
        fronts[left & ~dominates[left].any(axis=0)] = front
    return [int(number) for number in fronts]


def _named(names: Sequence[str], flags: Mask) -> tuple[str, ...]:
    return tuple(names[number] for number in np.flatnonzero(flags).tolist())


def _lacks(grid: Pivot, number: int, places: Sequence[int]) -> tuple[str, ...]:
    return tuple(
        f"{grid.columns[place].label} ({grid.cells[number][place].state})"
        for place in places
        if grid.cells[number][place].value is None
    )


def _notes(items: Sequence[RankedRow], left_out: Sequence[UnrankedRow]) -> list[str]:
    sentences = []
    if left_out:
        first = left_out[0]
        sentences.append(
            f"{len(left_out)} of {len(items) + len(left_out)} rows are left out because a value "
            f"is missing, such as {first.name}: {', '.join(first.lacks)}."
        )
    tied = sum(bool(item.ties) for item in items)
    if tied:
        sentences.append(
            f"{tied} rows have exactly the numbers of another; neither is the better one."
        )
    return sentences
