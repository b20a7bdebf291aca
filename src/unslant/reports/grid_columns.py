"""The answers of a study for spreadsheets: every digit, no marks."""

from collections.abc import Iterator

from unslant.core.exhibits import Column, Table, Value
from unslant.core.study_record import (
    BestByLevel,
    Correlations,
    Ranking,
    StudyAnswer,
    StudyDifference,
    StudyTable,
    TableCell,
)

STATES = {"undefined": "NA", "failed": "failed", "missing": "not done", "unasked": "–"}
"""What stands in place of a number that a cell does not have."""

Line = list[Value]
_NAMED = ("resource", "method", "measure", "concept", "seed")


def every_digit(answer: StudyAnswer) -> Table:
    """An answer as one table of plain values."""
    head, *rows = _lines(answer)
    columns = tuple(Column(label=str(label)) for label in head)
    return Table(id="answer", title="", columns=columns, rows=tuple(map(tuple, rows)))


def _lines(answer: StudyAnswer) -> Iterator[Line]:
    if isinstance(answer, StudyTable):
        return _of_table(answer)
    if isinstance(answer, Correlations):
        return _of_correlation(answer)
    if isinstance(answer, StudyDifference):
        return _of_difference(answer)
    if isinstance(answer, BestByLevel):
        return _of_best(answer)
    return _of_ranking(answer)


def _of_table(record: StudyTable) -> Iterator[Line]:
    """A line a row; a column more for the spread over seeds, and for other words, where any."""
    parts = []
    for place in range(len(record.columns)):
        extra, cells = [], record.column(place)
        if any(cell.of > 1 for cell in cells):
            extra += ["sd", "n", "of"]
        if any(cell.other_words for cell in cells):
            extra.append("other_words")
        parts.append(extra)
    head: Line = list(record.by)
    for column, extra in zip(record.columns, parts, strict=True):
        head += [column.label, *(f"{column.label} {part}" for part in extra)]
    yield head
    for row in record.rows:
        line: Line = list(row.key)
        for cell, extra in zip(row.cells, parts, strict=True):
            line.append(cell.value if cell.state == "done" else _state(cell))
            line += [
                int(cell.other_words) if part == "other_words" else getattr(cell, part)
                for part in extra
            ]
        yield line


def _state(cell: TableCell) -> str:
    return "" if cell.state == "unasked" else STATES[cell.state]


def _of_correlation(record: Correlations) -> Iterator[Line]:
    """A line for each coefficient of each pair."""
    columns = ["kind", "first", "second", "n", "value", "low", "high", "p", "how", "outcomes"]
    columns += ["corrected", "why_undefined"]
    yield [*columns]
    for pair in record.pairs:
        yield [getattr(pair, column) for column in columns]


def _of_ranking(record: Ranking) -> Iterator[Line]:
    """One line per row, the best front first; rows without a front have a missing number.

    ``other_words`` names the measures whose number used other words than most.
    """
    measures = [item.label for item in record.measures]
    yield [
        "row",
        "front",
        *measures,
        "mean_rank",
        "dominates",
        "dominated_by",
        "other_words",
        "lacks",
    ]
    for item in record.order:
        unlike = [label for label, is_so in zip(measures, item.other_words, strict=True) if is_so]
        lists = ["; ".join(names) for names in (item.dominates, item.dominated_by, unlike)]
        yield [item.name, item.front, *item.values, item.mean_rank, *lists, ""]
    nothing = [None] * (len(measures) + 2)
    for left in record.left_out:
        yield [left.name, *nothing, "", "", "", "; ".join(left.lacks)]


def _of_difference(record: StudyDifference) -> Iterator[Line]:
    """A line for everything that differs, and ``kind`` says in what way."""
    yield ["kind", *_NAMED, "a", "b", "absolute", "relative", "what"]
    for item in record.changed:
        numbers = [item.a, item.b, item.absolute, item.relative]
        yield ["changed", *item.label, *numbers, "; ".join(item.parts)]
    for side, alone in (("A", record.only_in_a), ("B", record.only_in_b)):
        for one in alone:
            yield [f"only in {side}", *one.label, None, None, None, None, ""]
    for lacking in record.lacking:
        where = f"{lacking.state} in {lacking.side}"
        yield [where, *lacking.label, *[None] * 4, lacking.why]
    for other in record.other_inputs:
        yield ["other inputs", *other.label, other.a, other.b, None, None, ""]


def _of_best(record: BestByLevel) -> Iterator[Line]:
    """A line for the best setting of each level."""
    yield [
        *("resource", "concept", "level", "settings", "best", record.by, f"{record.by} original"),
        *((record.report, f"{record.report} original") if record.report else ()),
    ]
    for row in record.rows:
        yield [
            *(row.resource, row.concept, row.level, row.settings, row.method),
            *(row.value, row.original),
            *((row.reported, row.reported_original) if record.report else ()),
        ]
