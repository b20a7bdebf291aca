"""A record as tables in the terminal: the answer, the results, what stands out, what is missing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from unslant.core.exhibits import Column, Examples, Table
from unslant.core.record import Record, StageFacts
from unslant.reports import tables, words
from unslant.reports.answers import answer
from unslant.reports.results import missing_words
from unslant.reports.words import visible

WIDE = 110
"""Narrower terminals get intervals and spreads below their numbers."""
_FURTHEST = 8
_WORDS = 12
_SHOWN = 3


def record_tables(record: Record) -> RenderableType:
    """Everything in a record that fits a screen or two."""
    return Group(*_parts(record))


def _parts(record: Record) -> Iterator[RenderableType]:
    if record.warnings:
        warned = "\n".join(f"Warning: {visible(warning)}" for warning in record.warnings)
        yield Padding(Text(warned, style="bold yellow"), (1, 0, 0, 0))
    *verdict, account = [visible(line) for line in answer(record)]
    yield Padding(Text("\n".join(verdict)), (1, 0, 0, 0))
    yield Padding(Text(account, style="dim"), (0, 0, 1, 0))
    for table in tables.result_tables(record, tables.TERMINAL):
        if not table.is_detail:
            yield _Fitting(table)
    yield from _explained(record)
    if record.treatment:
        for stage in record.treatment.stages:
            yield _stage(stage)
        if record.treatment.movement:
            moved = words.movement(record.treatment.movement)
            yield Padding(Text(visible(" ".join(moved))), (0, 0, 1, 0))
    for table in list(tables.furthest_tables(record, _FURTHEST))[:1]:
        yield _Fitting(table)
    for exhibit in record.exhibits:
        if isinstance(exhibit, Examples):
            yield _Fitting(tables.table_of_examples(exhibit))
        elif isinstance(exhibit, Table):
            yield _Fitting(exhibit)
    yield from _missing(record)


def _explained(record: Record) -> Iterator[Text]:
    """What the columns mean that not every record has."""
    controls = [result.control for result in record.results if result.control]
    if controls:
        taken = words.counted(controls[0].directions, "random direction")
        draws = words.counted(len(controls[0].values), "draw")
        yield Text(
            f"random: with {taken} removed instead; mean ± standard deviation of {draws}",
            style="dim",
        )
    if any(result.not_comparable for result in record.results):
        yield Text("≠ measured on different words before, so the two do not compare", "yellow")
    notes = [
        f"{result.now.title}: {result.now.why_undefined}"
        for result in record.results
        if result.now.value is None
    ]
    notes += [warning for result in record.results for warning in result.now.warnings]
    for note in list(dict.fromkeys(notes))[:_SHOWN]:
        yield Text(f"Note: {visible(note)}", style="yellow")
    if len(set(notes)) > _SHOWN:
        yield Text(f"{len(set(notes)) - _SHOWN} more notes in the report", style="yellow")


def _missing(record: Record) -> Iterator[Text]:
    missing = missing_words(record)
    if missing:
        listed = visible(words.some(missing, _WORDS))
        yield Text(f"Missing from the vectors: {listed}", style="yellow")
    for item in record.left_out[:_SHOWN]:
        yield Text(f"Left out: {visible(item.what)}: {visible(item.why)}", style="yellow")
    if len(record.left_out) > _SHOWN:
        yield Text(f"Left out: {len(record.left_out) - _SHOWN} more in the report", style="yellow")


def _stage(stage: StageFacts) -> RichTable:
    cites = f"  ({stage.cites})" if stage.cites else ""
    table = RichTable(
        title=Text(visible(f"{stage.expression}{cites}"), style="bold"),
        title_justify="left",
        show_header=False,
        box=box.SIMPLE,
    )
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    rows = [(words.named(name), words.fact(value)) for name, value in stage.details.items()]
    rows += [("guarantees", ", ".join(stage.guarantees))] if stage.guarantees else []
    for name, text in rows:
        table.add_row(visible(name), Text(visible(text)))
    lacking = words.lacking(stage, _WORDS)
    if lacking:
        table.add_row("missing from the vectors", Text(visible(lacking), style="yellow"))
    for warning in stage.warnings:
        table.add_row("warning", Text(visible(warning), style="yellow"))
    return table


@dataclass(frozen=True)
class _Fitting:
    """A table that is drawn for the width of the terminal that shows it."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _drawn(self.table, is_narrow=options.max_width < WIDE)


def _drawn(table: Table, *, is_narrow: bool) -> RichTable:
    """Columns of numbers are never narrower than what is in them, so nothing is cut."""
    when = ", before" if table.when == "before" else ""
    drawn = RichTable(
        title=Text(visible(f"{table.title}{when}"), style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
    )
    shown = table.rows[: table.first] if table.id not in _WHOLE else table.rows
    cells = [
        [
            visible(tables.cell_text(value, column))
            for value, column in zip(row, table.columns, strict=True)
        ]
        for row in shown
    ]
    if is_narrow:
        cells = [[_broken(text, column) for text, column in _pairs(row, table)] for row in cells]
    for place, column in enumerate(table.columns):
        header = visible(column.label)
        if column.digits is None:
            drawn.add_column(header, ratio=1 if place == 0 else None, overflow="fold")
            continue
        header = header.replace(" ", "\n") if is_narrow else header
        lines = [line for row in cells for line in row[place].split("\n")] + header.split("\n")
        width = max(map(len, lines))
        drawn.add_column(header, justify="right", no_wrap=True, min_width=width)
    for row in cells:
        drawn.add_row(*map(Text, row))
    return drawn


_WHOLE = ("tests", "probe", "concept", "quality", "other", "furthest")
"""The tables of results, which are shown whole; exhibits say how many rows a short view shows."""


def _pairs(row: Sequence[str], table: Table) -> Iterator[tuple[str, Column]]:
    yield from zip(row, table.columns, strict=True)


def _broken(text: str, column: Column) -> str:
    """A number with what belongs to it on the next line."""
    if column.digits is None:
        return text
    for sign in (" (", " ±", " to "):
        text = text.replace(sign, f"\n{sign.lstrip()}")
    return text
