"""An audit as tables in the terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unslant.reports.words import (
    answer,
    extremes,
    how_p,
    number,
    p_value,
    visible,
    words_used,
)

_SHOWN = 8


def audit_tables(record: Mapping[str, Any]) -> RenderableType:
    """Everything of an audit that fits a screen."""
    return Group(*_parts(record))


def _parts(record: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield Padding(Text(" ".join(answer(record))), (1, 0))
    tests = [item for item in record["measurements"] if item["metric"] == "weat"]
    leans = [item for item in record["measurements"] if item["metric"] == "direct-bias"]
    if tests:
        yield _tests(tests)
    for lean in leans[:1]:
        yield _extreme_words(lean)
    if leans:
        yield _leans(leans)
    missing = sorted(
        {
            word
            for item in record["measurements"]
            for use in item["words"]
            for word in use["missing"]
        }
    )
    if missing:
        listed = ", ".join(map(visible, missing[:12]))
        more = f" and {len(missing) - 12} more (all in the report)" if len(missing) > 12 else ""
        yield Padding(Text(f"Not in the vectors: {listed}{more}", style="yellow"), (1, 0, 0, 0))
    for item in record["left_out"]:
        yield Text(f"Left out: {visible(item['what'])}: {visible(item['why'])}", style="yellow")


def _tests(tests: list[Mapping[str, Any]]) -> Table:
    table = Table(title="Association tests (WEAT)", title_justify="left", caption_justify="left")
    table.add_column("test", ratio=1)
    table.add_column("effect d", justify="right")
    table.add_column("", no_wrap=True)
    table.add_column("p", justify="right", no_wrap=True)
    table.add_column("by", no_wrap=True, style="dim")
    table.add_column("words", justify="right")
    for item in tests:
        table.add_row(
            Text(visible(item["title"])),
            number(item["value"], 2),
            _bar(item["value"], 2.0),
            p_value(item["p"]),
            how_p(item["p"]),
            words_used(item),
        )
    return table


def _extreme_words(lean: Mapping[str, Any]) -> RenderableType:
    details = lean["details"]
    sides = details.get("positive side"), details.get("negative side")
    positive, negative = extremes(lean, _SHOWN)
    if not all(sides) or not (positive or negative):
        return Text("")
    table = Table(
        title=f"{lean['title']} ({details['direction']})",
        title_justify="left",
    )
    for side in sides:
        table.add_column(f"most {side}")
        table.add_column("projection", justify="right")
    for row in range(max(len(positive), len(negative))):
        cells: list[Text | str] = []
        for points in (positive, negative):
            point = points[row] if row < len(points) else None
            cells += (
                [Text(visible(point["word"])), number(point["projection"])] if point else ["", ""]
            )
        table.add_row(*cells)
    return Padding(table, (1, 0))


def _leans(leans: list[Mapping[str, Any]]) -> Table:
    table = Table(title="Direct bias", title_justify="left")
    table.add_column("neutral words")
    table.add_column("mean size of projection", justify="right")
    table.add_column("words", justify="right")
    for item in leans:
        name = item["words"][0]["set"]
        table.add_row(
            Text(visible(name)), number(item["value"]), words_used({"words": item["words"][:1]})
        )
    return table


def _bar(value: float | None, largest: float, width: int = 8) -> Text:
    """A bar to the right for positive values and to the left for negative ones."""
    if value is None:
        return Text(" " * (2 * width + 1))
    length = min(width, round(abs(value) / largest * width))
    left = "█" * length if value < 0 else ""
    right = "█" * length if value > 0 else ""
    bar = Text(left.rjust(width), style="magenta")
    return bar.append("│", style="dim").append(right.ljust(width), style="cyan")
