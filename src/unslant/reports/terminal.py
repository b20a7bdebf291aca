"""A record as tables in the terminal: the answer, the results, what stands out, what is missing."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from unslant.core import wording
from unslant.core.exhibits import Table
from unslant.core.record import Record, StageFacts
from unslant.core.visible import visible
from unslant.reports import tables
from unslant.reports.answers import answer
from unslant.reports.results import missing_words

WIDE = 120
"""Narrower terminals get a comparison in two tables, and tests without bars."""
NARROW = 70
"""Narrower terminals do without some columns."""
_SPARED = ("verdict", "Holm")
_BREAKS = {" (": 130, " ±": 110, " to ": 92}
"""Where a number is continued on the next line, in terminals narrower than this."""
_SHORTEST = 8
_LONG = 15
_WHOLE = ("tests", "probe", "concept", "quality", "other", "furthest")
"""The tables of results are shown whole; exhibits say how many rows a short view shows."""
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
    yield _Fitting(lambda width: _results(record, width))
    yield from _explained(record)
    if record.treatment:
        for stage in record.treatment.stages:
            yield _stage(stage)
        if record.treatment.movement:
            moved = wording.movement(record.treatment.movement)
            yield Padding(Text(visible(" ".join(moved))), (0, 0, 1, 0))
    for table in list(tables.furthest_tables(record, _FURTHEST))[:1]:
        yield _Fitting(partial(_one, table))
    for table in tables.exhibit_tables(record):
        yield _Fitting(partial(_one, table))
    yield from _missing(record)


def table_of(table: Table) -> RenderableType:
    """One table, drawn for the width of the terminal that shows it."""
    return _Fitting(partial(_one, table))


def _results(record: Record, width: int) -> Iterator[Table]:
    """The tables of results; those of a comparison in two parts if the terminal is narrow."""
    columns: list[tuple[str, ...]] = [tables.WIDE_TERMINAL]
    if width < WIDE:
        columns = [tables.NOW, tables.COMPARED] if record.baseline else [tables.TERMINAL]
    for part in columns:
        for table in tables.result_tables(record, part):
            after = ": before and after" if part == tables.COMPARED else ""
            if not table.is_detail:
                yield replace(table, title=f"{table.title}{after}")


def _explained(record: Record) -> Iterator[Text]:
    """What the columns mean that not every record has."""
    controls = [result.control for result in record.results if result.control]
    if controls:
        taken = wording.counted(controls[0].directions, "random direction")
        draws = wording.counted(len(controls[0].values), "draw")
        said = f"random: with {taken} removed instead; mean ± standard deviation of {draws}"
        if instead := visible(controls[0].instead):
            after = f", then {taken} removed" if controls[0].directions else ""
            said = f"control: {instead}{after}; mean ± standard deviation of {draws}"
        yield Text(said, style="dim")
    if any(item.not_comparable and item.now.value is not None for item in record.results):
        yield Text("≠ measured on different words before, so the two do not compare", "yellow")
    notes = list(tables.without_value(record.results))
    notes += [warning for result in record.results for warning in result.now.warnings]
    for note in list(dict.fromkeys(notes))[:_SHOWN]:
        yield Text(f"Note: {visible(note)}", style="yellow")
    if len(set(notes)) > _SHOWN:
        more = wording.counted(len(set(notes)) - _SHOWN, "more note")
        yield Text(f"{more} in the report", style="yellow")


def _one(table: Table, _: int) -> list[Table]:
    return [table]


def _missing(record: Record) -> Iterator[Text]:
    missing = missing_words(record)
    if missing:
        listed = visible(wording.some(missing, _WORDS))
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
    rows = [(wording.named(name), wording.fact(value)) for name, value in stage.details.items()]
    rows += [("guarantees", ", ".join(stage.guarantees))] if stage.guarantees else []
    for name, text in rows:
        table.add_row(visible(name), Text(visible(text)))
    lacking = wording.lacking(stage, _WORDS)
    if lacking:
        table.add_row("missing from the vectors", Text(visible(lacking), style="yellow"))
    for warning in stage.warnings:
        table.add_row("warning", Text(visible(warning), style="yellow"))
    return table


@dataclass(frozen=True)
class _Fitting:
    """A table that is drawn for the width of the terminal that shows it."""

    make: Callable[[int], Iterable[Table]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in self.make(options.max_width):
            yield _drawn(table, options.max_width)


def _drawn(table: Table, width: int) -> RichTable:
    """Columns of numbers are never narrower than what is in them, so nothing is cut."""
    when = ", before" if table.when == "before" else ""
    drawn = RichTable(
        title=Text(visible(f"{table.title}{when}"), style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
    )
    shown = table.rows if table.id in _WHOLE else table.rows[: table.first]
    signs = [sign for sign, least in _BREAKS.items() if width < least]
    columns: list[list[str]] = []
    for place, column in enumerate(table.columns):
        if width < NARROW and column.label in _SPARED:
            continue
        cells = [visible(tables.cell_text(row[place], column)) for row in shown]
        if column.digits is None:
            longest = max((len(word) for cell in cells for word in cell.split()), default=0)
            is_long = not columns or max(map(len, cells), default=0) > _LONG
            drawn.add_column(
                visible(column.label),
                ratio=1 if is_long else None,
                min_width=min(longest, _LONG),
                overflow="fold",
            )
        else:
            cells = [_broken(cell, signs) for cell in cells]
            widest = max((len(line) for cell in cells for line in cell.split("\n")), default=0)
            label = visible(column.label) if width >= WIDE else _abbreviated(visible(column.label))
            header = textwrap.wrap(label, max(widest, _SHORTEST))
            least = max(widest, *map(len, header))
            drawn.add_column("\n".join(header), justify="right", no_wrap=True, min_width=least)
        columns.append(cells)
    for line in zip(*columns, strict=True):
        drawn.add_row(*map(Text, line))
    return drawn


def _abbreviated(label: str) -> str:
    """A label without the ends of its long words."""
    return " ".join(
        word if len(word) <= _SHORTEST else f"{word[: _SHORTEST - 2]}." for word in label.split()
    )


def _broken(text: str, signs: Sequence[str]) -> str:
    """A number with what belongs to it on the next line."""
    for sign in signs:
        text = text.replace(sign, f"\n{sign.lstrip()}")
    return text
