"""A record as tables in the terminal: the answer, results, highlights and gaps."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from unslant.core import wording
from unslant.core.exhibits import Table
from unslant.core.record import Record, StageFacts
from unslant.core.visible import visible
from unslant.reports import tables
from unslant.reports.answers import answer
from unslant.reports.results import missing_words
from unslant.reports.table_terminal import Drawn, fact_table

WIDE = 120
"""Narrower terminals get a comparison in two tables, and tests without bars."""
_WHOLE = ("tests", "probe", "concept", "quality", "other", "furthest")
"""The tables of results are shown whole; exhibits say how many rows a short view shows."""
_FURTHEST = 8
_WORDS = 12
_SHOWN = 3


def record_tables(record: Record) -> RenderableType:
    """A record's tables for one or two screens."""
    return Group(*_parts(record))


def _parts(record: Record) -> Iterator[RenderableType]:
    if record.warnings:
        warned = "\n".join(f"Warning: {visible(warning)}" for warning in record.warnings)
        yield Padding(Text(warned, style="bold yellow"), (1, 0, 0, 0))
    *verdict, account = [visible(line) for line in answer(record)]
    yield Padding(Text("\n".join(verdict)), (1, 0, 0, 0))
    yield Padding(Text(account, style="dim"), (0, 0, 1, 0))
    yield _WidthAware(lambda width: _results(record, width))
    yield from _explained(record)
    if record.treatment:
        for stage in record.treatment.stages:
            yield _stage(stage)
        if record.treatment.movement:
            moved = wording.movement(record.treatment.movement)
            yield Padding(Text(visible(" ".join(moved))), (0, 0, 1, 0))
    for table in list(tables.furthest_tables(record, _FURTHEST))[:1]:
        yield table_of(table)
    for table in tables.exhibit_tables(record):
        yield table_of(table)
    yield from _missing(record)


def table_of(table: Table) -> RenderableType:
    """One table, drawn for the width of the terminal that shows it."""
    rows = table.rows if table.id in _WHOLE else table.rows[: table.first]
    return Drawn(replace(table, rows=rows), is_stacked=True)


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
    """The meaning of optional columns."""
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


def _missing(record: Record) -> Iterator[Text]:
    missing = missing_words(record)
    if missing:
        listed = visible(wording.some(missing, _WORDS))
        yield Text(f"Missing from the vectors: {listed}", style="yellow")
    for item in record.left_out[:_SHOWN]:
        yield Text(f"Left out: {visible(item.what)}: {visible(item.why)}", style="yellow")
    if len(record.left_out) > _SHOWN:
        yield Text(f"Left out: {len(record.left_out) - _SHOWN} more in the report", style="yellow")


def _stage(stage: StageFacts) -> RenderableType:
    cites = f"  ({stage.cites})" if stage.cites else ""
    facts = [
        (wording.named(name), wording.fact(value), "") for name, value in stage.details.items()
    ]
    if stage.guarantees:
        facts.append(("guarantees", ", ".join(stage.guarantees), ""))
    if lacking := wording.lacking(stage, _WORDS):
        facts.append(("missing from the vectors", lacking, "yellow"))
    facts += [("warning", warning, "yellow") for warning in stage.warnings]
    return fact_table(f"{stage.expression}{cites}", facts)


@dataclass(frozen=True)
class _WidthAware:
    """Tables that depend on the width of the terminal that shows them."""

    make: Callable[[int], Iterable[Table]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from map(table_of, self.make(options.max_width))
