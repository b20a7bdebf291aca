"""An audit as tables in the terminal."""

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unslant.reports import words
from unslant.reports.answers import answer
from unslant.reports.words import Record, number, visible

_SHOWN = 8
_MISSING_SHOWN = 12


def audit_tables(record: Record) -> RenderableType:
    """Everything of an audit that fits a screen or two."""
    return Group(*_parts(record))


def _parts(record: Record) -> Iterator[RenderableType]:
    yield Padding(Text("\n".join(visible(sentence) for sentence in answer(record))), (1, 0))
    tests, leans = words.of_metric(record, "weat"), words.leans(record)
    if tests:
        yield _tests(record, tests)
    if leans:
        yield _extreme_words(leans[0])
    measures = [*leans, *words.leans_refitted(record), *words.on_concept(record)]
    if measures:
        yield _measures("Measures of the concept", record, measures)
    quality = words.of_quality(record)
    if quality:
        yield _measures("Quality of the vectors", record, quality)
    yield from left_out(record)


def left_out(record: Record) -> Iterator[RenderableType]:
    """What was not measured, or not on all words, and why."""
    missing = words.missing_words(record)
    if missing:
        listed = ", ".join(map(visible, missing[:_MISSING_SHOWN]))
        rest = len(missing) - _MISSING_SHOWN
        more = f" and {rest} more (all in the report)" if rest > 0 else ""
        yield Text(f"Not in the vectors: {listed}{more}", style="yellow")
    if record["left_out"]:
        count = len(record["left_out"])
        first = record["left_out"][0]
        text = f"{visible(first['what'])}: {visible(first['why'])}"
        more = f" ({count - 1} more in the report)" if count > 1 else ""
        yield Text(f"Left out: {text}{more}", style="yellow")
    if any("≠" in words.before(record, item) for item in record["measurements"]):
        yield Text("≠ measured on other words before, so the two do not compare", style="yellow")


def _table(title: str) -> Table:
    return Table(
        title=Text(visible(title), style="bold"), title_justify="left", box=box.SIMPLE_HEAD
    )


def _tests(record: Record, tests: list[Record]) -> Table:
    table = _table("Association tests (WEAT)")
    table.add_column("test", ratio=1, overflow="fold")
    for column in ("d", "95 % interval", *(["before"] if record["before"] else [])):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for column in ("p", "Holm", "words"):
        table.add_column(column, justify="right", no_wrap=True)
    for item in tests:
        holm = words.corrected(record, item, "holm")
        table.add_row(
            Text(visible(item["parameters"]["subject"].partition("/")[2])),
            number(item["value"], 2),
            words.interval(item),
            *([words.before(record, item)] if record["before"] else []),
            _bar(item["value"], 2.0),
            words.p_value(item["p"]),
            "" if holm is None else words.probability(holm),
            words.words_used(item["words"]),
        )
    return table


def _extreme_words(lean: Record) -> RenderableType:
    details = lean["details"]
    sides = details.get("positive side"), details.get("negative side")
    positive, negative = words.extremes(lean, _SHOWN)
    if not all(sides) or not (positive or negative):
        return Text("")
    table = _table(f"{lean['title']}, {details['direction']}")
    for side in sides:
        table.add_column(f"most {side}")
        table.add_column("projection", justify="right")
    for row in range(max(len(positive), len(negative))):
        cells: list[Text | str] = []
        for points in (positive, negative):
            point = points[row] if row < len(points) else None
            word, size = (point["word"], number(point["projection"])) if point else ("", "")
            cells += [Text(visible(word)), size]
        table.add_row(*cells)
    return table


def _measures(title: str, record: Record, measures: list[Record]) -> Table:
    table = _table(title)
    table.add_column("measure", no_wrap=True)
    table.add_column("what", ratio=1)
    for column in ("value", "95 % interval", *(["before"] if record["before"] else [])):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("better", no_wrap=True, style="dim")
    for item in measures:
        table.add_row(
            item["metric"],
            Text(visible(item["title"])),
            number(item["value"]),
            words.interval(item, 3),
            *([words.before(record, item, 3)] if record["before"] else []),
            item["better"],
        )
    return table


def _bar(value: float | None, largest: float, width: int = 5) -> Text:
    """A bar to the right for positive values and to the left for negative ones."""
    if value is None:
        return Text(" " * (2 * width + 1))
    length = min(width, round(abs(value) / largest * width))
    left = "█" * length if value < 0 else ""
    right = "█" * length if value > 0 else ""
    bar = Text(left.rjust(width), style="magenta")
    return bar.append("│", style="dim").append(right.ljust(width), style="cyan")
