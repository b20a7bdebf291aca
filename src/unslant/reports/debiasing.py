"""What a method did, as tables in the terminal."""

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unslant.reports import words
from unslant.reports.terminal import left_out
from unslant.reports.words import Record, number, visible


def debiasing_tables(record: Record) -> RenderableType:
    """What was fitted, how far words moved, and the measures before and after."""
    return Group(*_parts(record))


def _parts(record: Record) -> Iterator[RenderableType]:
    for stage in record["debiasing"]["stages"]:
        yield _stage(stage)
    yield Padding(Text("\n".join(words.movement(record))), (1, 0))
    if record["measurements"]:
        yield _comparison(record)
    yield from left_out(record)


def _stage(stage: Record) -> RenderableType:
    table = Table(
        title=Text(visible(f"{stage['expression']}  ({stage['cites']})"), style="bold"),
        title_justify="left",
        show_header=False,
        box=box.SIMPLE,
    )
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in stage["details"].items():
        table.add_row(name, Text(words.detail(value)))
    table.add_row("guarantees", ", ".join(stage["guarantees"]))
    left_alone = words.left_alone(stage, 12)
    if left_alone:
        table.add_row("left alone", Text(left_alone))
    lacking = words.lacking(stage, 12)
    if lacking:
        table.add_row("not in the vectors", Text(lacking, style="yellow"))
    for warning in stage["warnings"]:
        table.add_row("warning", Text(visible(warning), style="yellow"))
    return table


def _comparison(record: Record) -> Table:
    table = Table(
        title=Text("Before and after", style="bold"), title_justify="left", box=box.SIMPLE_HEAD
    )
    table.add_column("measure", ratio=1, overflow="fold")
    for column in ("before", "after", "95 % interval"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("better", no_wrap=True, style="dim")
    for item in record["measurements"]:
        table.add_row(
            Text(visible(words.short(item))),
            words.before(record, item, 3),
            number(item["value"]),
            words.interval(item, 3),
            item["better"],
        )
    return table
