"""The answers of a study as tables: rounded and with the best set off, or with every digit."""

import json
from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from unslant.core.errors import UnknownNameError
from unslant.core.exhibits import Column, Table, Value
from unslant.core.measurement import PValue
from unslant.core.plain import to_plain
from unslant.core.score import better_side
from unslant.core.study_record import (
    BestByLevel,
    CellState,
    CorrelatedPair,
    Correlations,
    LabelledNumber,
    RankedMeasure,
    Ranking,
    StudyAnswer,
    StudyDifference,
    StudyTable,
    TableCell,
    TableColumn,
)
from unslant.core.visible import visible
from unslant.core.wording import level, number, p_value, probability, signed, some, span
from unslant.reports import table_text
from unslant.reports.as_printed import best_as_printed, digits_of
from unslant.reports.grid_columns import STATES, every_digit
from unslant.reports.table_terminal import Drawn

FORMS = ("csv", "markdown", "latex", "json")
_KINDS = {"pearson": "Pearson’s r", "spearman": "Spearman’s ρ"}
_MOST = 50
_DIGITS = 3


def grid_tables(answer: StudyAnswer, digits: int | None = None) -> RenderableType:
    """An answer as tables in the terminal, followed by what is missing."""
    tables, sentences, notes = _parts(answer, digits)
    parts: list[RenderableType] = [Text(visible(sentence)) for sentence in sentences]
    parts += map(Drawn, tables)
    parts += [Text(visible(note), style="yellow") for note in notes]
    return Group(*parts)


def grid_text(answer: StudyAnswer, form: str, digits: int | None = None) -> str:
    """An answer as ``csv``, ``markdown``, ``latex`` or ``json``.

    The first and the last have every digit; ``digits`` is for those that people read. Without it
    each measure of a table has its own number of digits, and other answers have three.
    """
    if form == "json":
        return json.dumps(to_plain(answer), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    if form == "csv":
        return table_text.csv(every_digit(answer))
    if form == "markdown":
        return table_text.markdown(*_parts(answer, digits))
    if form == "latex":
        return table_text.latex(*_parts(answer, digits))
    raise UnknownNameError("format", form, FORMS)


def _parts(
    answer: StudyAnswer, given: int | None
) -> tuple[Sequence[Table], Sequence[str], Sequence[str]]:
    """The tables, the sentences before them and the notes behind them."""
    digits = _DIGITS if given is None else given
    if isinstance(answer, StudyDifference):
        return _of_difference(answer, digits), _summary(answer), ()
    if isinstance(answer, BestByLevel):
        return _of_best(answer, digits), (), answer.notes
    if isinstance(answer, Correlations):
        return of_correlation(answer, digits), answer.sentences, answer.notes
    if isinstance(answer, StudyTable):
        return [of_table(answer, given)], (), [*legend(answer.columns), *answer.notes]
    return [of_ranking(answer, digits)], (), [*legend(answer.measures), *answer.notes]


def _table(
    title: str,
    head: Sequence[str],
    rows: Iterable[Sequence[Value]],
    *,
    names: int = 1,
    ends_in_text: bool = False,
    best: Iterable[tuple[int, int]] = (),
) -> Table:
    """A table whose first ``names`` columns are text and the others numbers, but for a text."""
    texts = {*range(names), *([len(head) - 1] if ends_in_text else [])}
    columns = (
        Column(label=label, digits=None if place in texts else _DIGITS)
        for place, label in enumerate(head)
    )
    return Table(
        id="answer",
        title=title,
        columns=tuple(columns),
        rows=tuple(map(tuple, rows)),
        names=names,
        best=frozenset(best),
    )


def of_table(record: StudyTable, digits: int | None) -> Table:
    """One column per measure; the best of a column is highlighted, and no cell is left blank.

    ``digits`` is for every column; without it each has its own, as in the heat map.
    """
    columns = [record.column(place) for place in range(len(record.columns))]
    shown = [digits_of(cells) if digits is None else digits for cells in columns]
    names = len(record.by)
    return _table(
        "",
        [*record.by, *map(_headed, record.columns)],
        [[*map(str, row.key), *map(_cell, row.cells, shown)] for row in record.rows],
        names=names,
        best=(
            (row, names + place)
            for place, column in enumerate(record.columns)
            for row, is_best in enumerate(
                best_as_printed(columns[place], column.better, shown[place])
            )
            if is_best
        ),
    )


def _headed(column: TableColumn | RankedMeasure) -> str:
    return _with_arrow(column.label, column.better)


def _with_arrow(label: str, direction: str) -> str:
    """A measure and an arrow for which way is better: ``DB ↓``, ``WEAT →0``."""
    better = better_side(direction)
    return f"{label} {better.sign}" if better else label


def legend(columns: Sequence[TableColumn | RankedMeasure]) -> list[str]:
    """The meaning of these columns' arrows, in one sentence."""
    ways = {way.text: way for column in columns if (way := better_side(column.better))}
    said = [f"{ways[text].sign} {text}" for text in sorted(ways)]
    return [f"Better is: {', '.join(said)}."] if said else []


def _cell(cell: TableCell, digits: int) -> str:
    if cell.state != "done":
        return STATES[cell.state]
    text = number(cell.value, digits)
    if cell.sd is not None:
        text += f" ± {number(cell.sd, digits)}"
    if cell.of > 1:
        text += f" ({cell.n})" if cell.n == cell.of else f" ({cell.n} of {cell.of})"
    return text + (" ≠" if cell.other_words else "")


def of_correlation(record: Correlations, digits: int) -> list[Table]:
    """A matrix of each coefficient, unless one measure was requested, and every pair."""
    found = []
    for kind, name in _KINDS.items():
        if record.against is None:
            found.append(_matrix(record, kind, name, digits))
        found.append(_pairs(record, kind, name, digits))
    return found


def _matrix(record: Correlations, kind: str, name: str, digits: int) -> Table:
    rows = zip(record.measures, record.matrices[kind], strict=True)
    return _table(
        name,
        ["", *record.measures],
        [[label, *(number(value, digits) for value in values)] for label, values in rows],
    )


def _pairs(record: Correlations, kind: str, name: str, digits: int) -> Table:
    against = record.against
    return _table(
        f"{name} with {against}" if against else f"{name} of every pair",
        [
            "measure" if against else "measures",
            *("rows", name[-1], level(record.level), "p", "adjusted p"),
        ],
        [
            [
                pair.first if against else f"{pair.first} – {pair.second}",
                str(pair.n),
                number(pair.value, digits),
                "NA" if pair.low is None else span(pair.low, pair.high, digits),
                p_value(_p_of(pair)),
                "NA" if pair.corrected is None else probability(pair.corrected),
            ]
            for pair in sorted(record.of_kind(kind), key=lambda pair: -abs(pair.value or 0.0))
        ],
    )


def _p_of(pair: CorrelatedPair) -> PValue | None:
    if pair.p is None:
        return None
    return PValue(value=pair.p, how=pair.how, alternative="two-sided", outcomes=pair.outcomes)


def of_ranking(record: Ranking, digits: int) -> Table:
    """The rows from the best front on; undominated ones are highlighted."""
    rows = [
        [
            item.name,
            str(item.front),
            *(
                number(value, digits) + (" ≠" if unlike else "")
                for value, unlike in zip(item.values, item.other_words, strict=True)
            ),
            number(item.mean_rank, 1),
            str(len(item.dominates)),
            some(item.dominated_by, 2, "; "),  # names have commas, as in "hard, then misp"
        ]
        for item in record.order
    ]
    labels = map(_headed, record.measures)
    return _table(
        "Pareto fronts",
        ["row", "front", *labels, "mean rank", "dominates", "dominated by"],
        rows,
        ends_in_text=True,
        best=((place, 0) for place, item in enumerate(record.order) if item.front == 1),
    )


def _of_best(record: BestByLevel, digits: int) -> list[Table]:
    """One table of the best settings, one of choices."""
    report = [_with_arrow(record.report, record.report_direction)] if record.report else []
    head = ["resource", "concept", "level", "settings", "best"]
    rows = [
        [
            *(row.resource, row.concept, row.level, f"{row.settings:,}", row.method),
            number(row.value, digits),
            *([number(row.reported, digits)] if record.report else []),
        ]
        for row in record.rows
    ]
    by = _with_arrow(record.by, record.direction)
    effects = [
        [
            *(row.resource, row.concept, row.level),
            f"{row.variable} at {row.at}: {row.first} → {row.second}",
            f"{row.pairs:,}",
            *(number(row.mean, digits), number(row.sd, digits)),
            f"{row.better:,}",
        ]
        for row in record.effects
    ]
    found = [
        _table("Best of each level", [*head, by, *report], rows, names=5),
        _table(
            f"What each choice changes in {record.by}",
            ["resource", "concept", "level", "choice", "pairs", "mean change", "sd", "better"],
            effects,
            names=4,
        ),
    ]
    return found if effects else found[:1]


def _of_difference(record: StudyDifference, digits: int) -> list[Table]:
    """Changed numbers, those of only one study, and missing ones."""
    changed = [
        [
            _named(item),
            _value(item.a, item.state_a, digits),
            _value(item.b, item.state_b, digits),
            "" if item.absolute is None else signed(item.absolute, digits),
            "" if item.relative is None else f"{signed(100 * item.relative, 1)} %",
            ", ".join(item.parts),
        ]
        for item in record.changed
    ]
    alone = [
        [_named(item), side]
        for side, items in (("A", record.only_in_a), ("B", record.only_in_b))
        for item in items
    ]
    lacking = [[_named(item), item.side, STATES[item.state], item.why] for item in record.lacking]
    inputs = [[_named(item), item.a, item.b] for item in record.other_inputs]
    found = [
        _listing("Changed", ["A", "B", "change", "relative", "what"], changed),
        _listing("Only in one", ["study"], alone),
        _listing("Without a result", ["study", "state", "why"], lacking),
        _listing("Other inputs", ["id in A", "id in B"], inputs),
    ]
    return [table for table in found if table.rows]


def _listing(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    if len(rows) > _MOST:
        title += f" (the first {_MOST} of {len(rows):,}; csv and json have all)"
    return _table(title, ["cell", *heads], rows[:_MOST], ends_in_text=heads[-1] in ("what", "why"))


def _summary(record: StudyDifference) -> list[str]:
    """Whether the two studies are the same, in a sentence or two."""
    counts = [
        (len(record.changed), "changed"),
        (len(record.only_in_a), "only in A"),
        (len(record.only_in_b), "only in B"),
        (len(record.lacking), "failed or not done"),
    ]
    listed = ", ".join(f"{count} {what}" for count, what in counts if count)
    said = "all the same" if record.is_same else listed
    sentences = [f"{record.compared} numbers are in both studies: {said}."]
    if not record.has_same_inputs:
        count = len(record.other_inputs)
        made = "1 was" if count == 1 else f"{count} were"
        sentences.append(f"{made} made from other inputs under the same label.")
    return sentences


def _named(item: LabelledNumber) -> str:
    row = ".".join(part for part in (item.resource, item.method) if part)
    return f"{row}, {item.measure}, {item.concept}, seed {item.seed}"


def _value(value: float | None, state: CellState, digits: int) -> str:
    return number(value, digits) if state == "done" else STATES[state]
