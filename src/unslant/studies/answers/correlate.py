"""Which measures go together: correlations over the rows of a study, and how sure they are."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import median

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.score import better_side
from unslant.core.study_record import CorrelatedPair, Correlations, TableColumn
from unslant.numerics.correlation import KINDS, correlation
from unslant.numerics.permutation import benjamini_hochberg
from unslant.studies.answers.pivot import USUAL, Pivot, Row, notes, pivot

LEVEL = 0.95


def correlate(
    rows: Sequence[Row],
    *,
    against: str | None = None,
    by: Sequence[str] = USUAL,
    seed: int = 0,
    progress: Progress | None = None,
) -> Correlations:
    """Pearson's and Spearman's correlation of every two measures, or of ``against`` and each other.

    If ``against`` has a column for each concept, it is paired with the other measures of the same
    concept.

    A pair takes the rows that have both numbers, as they are: what is better the closer it is to
    0 keeps its sign. Benjamini and Hochberg's correction is over all requested pairs, for either
    coefficient apart.
    """
    grid = pivot(rows, by=by)
    labels = tuple(column.label for column in grid.columns)
    if len(labels) < 2:
        raise UnslantError("A correlation takes two measures, and the study has one.")
    pairs_to_compute = _asked(grid, against)
    columns = {label: _values(grid, place) for place, label in enumerate(labels)}
    total = len(KINDS) * len(pairs_to_compute)
    pairs: list[CorrelatedPair] = []
    for done, (kind, (first, second)) in enumerate(
        (k, pair) for k in KINDS for pair in pairs_to_compute
    ):
        if progress:
            progress("Correlating", done, total)
        one, other = sorted((first, second))  # so that a pair does not depend on its order
        coefficient = correlation(columns[one], columns[other], kind=kind, seed=seed, level=LEVEL)
        pairs.append(CorrelatedPair(kind=kind, first=first, second=second, **vars(coefficient)))
    if progress:
        progress("Correlating", total, total)
    pairs = [pair for kind in KINDS for pair in _corrected([p for p in pairs if p.kind == kind])]
    return Correlations(
        against=against,
        level=LEVEL,
        by=grid.by,
        rows=grid.names,
        measures=labels,
        pairs=tuple(pairs),
        matrices={kind: _matrix(labels, [p for p in pairs if p.kind == kind]) for kind in KINDS},
        sentences=tuple(_how_wide(pairs)),
        notes=(*notes(grid), *_signs(grid), *_dependence(grid), *_undefined(pairs)),
    )


def _asked(grid: Pivot, against: str | None) -> list[tuple[str, str]]:
    if against is None:
        return list(combinations((column.label for column in grid.columns), 2))
    wanted = [grid.columns[place] for place in grid.places(against)]
    return [
        (column.label, one.label)
        for one in wanted
        for column in grid.columns
        if column not in wanted and (len(wanted) == 1 or _about(column) == _about(one))
    ]


def _about(column: TableColumn) -> str:
    """The suffix of a column beyond its measure, such as " (gender)"."""
    return column.label.removeprefix(column.measure)


def _values(grid: Pivot, place: int) -> list[float]:
    values = (cells[place].value for cells in grid.cells)
    return [np.nan if value is None else value for value in values]


def _corrected(pairs: Sequence[CorrelatedPair]) -> list[CorrelatedPair]:
    tested = [pair.p for pair in pairs if pair.p is not None]
    corrected = iter(benjamini_hochberg(tested).tolist())
    return [pair if pair.p is None else replace(pair, corrected=next(corrected)) for pair in pairs]


def _matrix(
    labels: Sequence[str], pairs: Sequence[CorrelatedPair]
) -> tuple[tuple[float | None, ...], ...]:
    by_pair = {frozenset((pair.first, pair.second)): pair.value for pair in pairs}
    return tuple(
        tuple(1.0 if a == b else by_pair.get(frozenset((a, b))) for b in labels) for a in labels
    )


def _how_wide(pairs: Sequence[CorrelatedPair]) -> Iterator[str]:
    """How precise the correlations are, by the pair with the median interval width."""
    tested = [pair for pair in pairs if pair.kind == KINDS[0] and pair.p is not None]
    known = sorted((pair.width, n) for n, pair in enumerate(tested) if pair.width is not None)
    if known:
        middle = tested[known[(len(known) - 1) // 2][1]]
        yield (
            f"With {middle.n} rows a correlation of {_short(middle.value)} "
            f"({middle.first} and {middle.second}) could be anywhere from "
            f"{_short(middle.low)} to {_short(middle.high)}; half of the intervals are "
            f"{_short(median(width for width, _ in known))} wide or wider."
        )
    else:
        yield "There are too few rows for an interval, so these coefficients say next to nothing."
    clear = [pair for pair in tested if pair.corrected is not None and pair.corrected <= 1 - LEVEL]
    if tested:
        yield (
            f"{len(clear)} of {len(tested)} Pearson correlations have p ≤ .05 after Benjamini and "
            f"Hochberg’s correction for their number."
        )


def _short(value: float | None) -> str:
    return f"{value:.2f}".replace("-", "−").replace("0.", ".", 1)


def _signs(grid: Pivot) -> Iterator[str]:
    with_goal: dict[float, list[str]] = {}
    for column in grid.columns:
        if (better := better_side(column.better)) and better.has_goal:
            with_goal.setdefault(better.goal, []).append(column.label)
    for goal, signed in sorted(with_goal.items()):
        which = (
            " and ".join(signed) if len(signed) < 3 else f"{signed[0]} and {len(signed) - 1} more"
        )
        yield (
            f"Better is closer to {goal:g} for {which}: values enter as they are, on either "
            f"side of {goal:g}, so a correlation with them is not one with the strength of a bias."
        )


def _dependence(grid: Pivot) -> Iterator[str]:
    if "resource" in grid.by and len({row.resource for row in grid.rows}) < len(grid.keys):
        yield (
            "Rows of the same resource are not independent, which intervals and p-values take them "
            "to be; the truth is less certain than they say."
        )


def _undefined(pairs: Sequence[CorrelatedPair]) -> Iterator[str]:
    lacking = [pair for pair in pairs if pair.value is None]
    if lacking:
        first = lacking[0]
        yield (
            f"{len(lacking)} of {len(pairs)} coefficients have no value; {first.first} and "
            f"{first.second}: {first.why_undefined}."
        )
