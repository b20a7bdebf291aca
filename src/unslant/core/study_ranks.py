"""The rank of every row of a study by every measure, and over all of them."""

from dataclasses import dataclass

from unslant.core.score import better_side
from unslant.core.study_record import FAMILY, Key, StudyTable


@dataclass(frozen=True, kw_only=True)
class RowRanks:
    """The ranks of one row, 1 for the best; equal values share the mean of their ranks.

    ``by_column`` has None where the row has no value; ``by_family`` is the mean over the columns
    of one measure, such as its tests, and ``mean`` that over the families.
    """

    key: Key
    by_column: tuple[float | None, ...]
    by_family: dict[str, float]
    mean: float | None


def row_ranks(table: StudyTable) -> tuple[RowRanks, ...]:
    """The ranks of the rows of a table, in its order; columns without a better side have none.

    A column counts only where every row has a value, so that means are over the same columns.
    """
    columns: list[list[float | None]] = []
    for place, column in enumerate(table.columns):
        better = better_side(column.better)
        values = [cell.value for cell in table.column(place)]
        if better is None or None in values:
            columns.append([None] * len(values))
            continue
        gaps = [better.gap(value or 0.0) for value in values]
        columns.append([_rank(gaps, gap) for gap in gaps])
    families = [column.measure.split(FAMILY)[0] for column in table.columns]
    found = []
    for number, row in enumerate(table.rows):
        mine = tuple(column[number] for column in columns)
        grouped: dict[str, list[float]] = {}
        for family, rank in zip(families, mine, strict=True):
            if rank is not None:
                grouped.setdefault(family, []).append(rank)
        means = {family: sum(ranks) / len(ranks) for family, ranks in grouped.items()}
        overall = sum(means.values()) / len(means) if means else None
        found.append(RowRanks(key=row.key, by_column=mine, by_family=means, mean=overall))
    return tuple(found)


def _rank(gaps: list[float], gap: float) -> float:
    return 1 + sum(other < gap for other in gaps) + (sum(other == gap for other in gaps) - 1) / 2
