"""An NLI probe as tables in the terminal."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unslant.reports import words
from unslant.reports.probe_words import head, short_name
from unslant.reports.words import Record, number, visible

WIDE = 92
"""Narrower terminals get intervals below their numbers, and one table for each side."""
_WORDS_SHOWN = 6
_LABELS = ("entailment", "neutral", "contradiction")
_COLUMNS = ("E", "N", "C")
_LEGEND = "E, N, C: the probabilities of entailment, neutral and contradiction"
_EXAMPLES = {
    "entailment": "Most entailed, one for each pair of words",
    "contradiction": "Most contradicted, one for each pair of words",
    "furthest": "Furthest from the right answer, one for each pair of words",
}


def probe_tables(record: Record) -> RenderableType:
    """The measures with what they changed, the most extreme pairs and the most extreme words."""
    return Group(*_parts(record))


@dataclass(frozen=True)
class _Fitting:
    """Tables that are made for the width of the terminal that shows them."""

    record: Record
    make: Callable[[Record, bool], Iterable[RenderableType]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.make(self.record, options.max_width >= WIDE)


def _parts(record: Record) -> Iterator[RenderableType]:
    warned = "\n".join(f"Warning: {visible(warning)}" for warning in record["warnings"])
    if warned:
        yield Padding(Text(warned, style="bold yellow"), (1, 0, 0, 0))
    yield Padding(Text("\n".join(visible(sentence) for sentence in head(record))), (1, 0))
    yield _Fitting(record, _measures)
    yield _Fitting(record, _changes)
    yield from _examples(record)
    yield from _slices(record)
    yield _Fitting(record, _words)
    yield Text(_LEGEND, style="dim")
    if record["hashed_words"]:
        listed = ", ".join(map(visible, record["hashed_words"]))
        yield Text(f"Not in the vectors, so read as a hash of the word: {listed}", style="yellow")
    for side, left_out in record["set"]["missing"].items():
        listed = ", ".join(map(visible, left_out))
        yield Text(f"Not in the vectors, so left out of the {side}: {listed}", style="yellow")
    undefined = (item for item in record["measurements"] if item["value"] is None)
    notes = [f"{short_name(item['metric'])}: {item['why_undefined']}" for item in undefined]
    notes += [warning for item in record["measurements"] for warning in item["warnings"]]
    for note in dict.fromkeys(notes):
        yield Text(f"Note: {visible(note)}", style="yellow")


def _measures(record: Record, is_wide: bool) -> Iterator[RenderableType]:
    table = _table("Measures")
    table.add_column("measure", ratio=1, overflow="fold")
    has_p = any(item["p"] for item in record["measurements"])
    columns = ("value", "95 % interval") if is_wide else ("value, 95 % interval",)
    _add_numbers(table, [*columns, *(["p"] if has_p else [])])
    table.add_column("better", no_wrap=True, min_width=7, style="dim")
    for item in record["measurements"]:
        table.add_row(
            Text(visible(f"{item['title']} ({short_name(item['metric'])})")),
            *_beside(number(item["value"]), words.interval(item, 3), is_wide),
            *([words.p_value(item["p"]) if item["p"] else ""] if has_p else []),
            item["better"],
        )
    yield _sized(table)


def _changes(record: Record, is_wide: bool) -> Iterator[RenderableType]:
    if not record["before"]:
        return
    table = _table("Before and after debiasing")
    table.add_column("measure", ratio=1, overflow="fold")
    columns = ["before", "after"]
    columns += ["change", "95 % interval"] if is_wide else ["change, 95 % interval"]
    _add_numbers(table, [*columns, *(["random"] if record["controls"] else [])])
    for place, (after, change) in enumerate(
        zip(record["measurements"], record["changes"], strict=True)
    ):
        table.add_row(
            Text(visible(short_name(after["metric"]))),
            number(record["before"][place]["value"]),
            number(after["value"]),
            *_beside(_percent(change["value"]), words.interval(change, 1), is_wide),
            *([_control(record["controls"][place], is_wide)] if record["controls"] else []),
        )
    yield _sized(table)
    if record["controls"]:
        count, k = len(record["controls"][0]["points"]), record["control_directions"]
        taken = "a random direction" if k == 1 else f"{k} random directions"
        yield Text(
            f"random: the vectors without {taken} instead; mean ± standard deviation of {count} "
            f"draws\n",
            style="dim",
        )


def _control(item: Record, is_wide: bool) -> str:
    mean = number(item["details"].get("mean of the controls"))
    spread = item["details"].get("standard deviation of the controls")
    if spread is None:
        return mean
    return f"{mean}{' ' if is_wide else chr(10)}± {number(spread)}"


def _examples(record: Record) -> Iterator[Table]:
    for key, found in record["examples"].items():
        table = _table(_EXAMPLES[key])
        table.add_column("premise", ratio=1, overflow="fold")
        table.add_column("hypothesis", ratio=1, overflow="fold")
        _add_numbers(table, _COLUMNS)
        if key == "furthest":
            table.add_column("right", no_wrap=True, min_width=5)
        for item in found:
            sentences = (Text(visible(item[side])) for side in ("premise", "hypothesis"))
            right = [item["right"][0].upper()] if key == "furthest" else []
            table.add_row(*sentences, *(number(item[label], 2) for label in _LABELS), *right)
        yield _sized(table)


def _slices(record: Record) -> Iterator[Table]:
    if not record["slices"]:
        return
    table = _table("Mean answers of the words asked for")
    table.add_column("words", ratio=1, overflow="fold")
    _add_numbers(table, (*_COLUMNS, "pairs"))
    for item in record["slices"]:
        shares = (number(item[label]) for label in _LABELS)
        table.add_row(Text(visible(" → ".join(item["words"]))), *shares, f"{item['pairs']:,}")
    yield _sized(table)


def _words(record: Record, is_wide: bool) -> Iterator[RenderableType]:
    """The words whose right answer is least probable, on either side."""
    is_neutral = record["set"]["family"] != "retention"
    title = (
        "Words with the least neutral answers"
        if is_neutral
        else "Words with the lowest probability of the right answer (R)"
    )
    columns = _COLUMNS if is_neutral else (*_COLUMNS, "R")
    shown = _LABELS if is_neutral else (*_LABELS, "right")
    for sides in [("premise", "hypothesis")] if is_wide else [("premise",), ("hypothesis",)]:
        table = _table(title)
        for side in sides:
            table.add_column(f"{side} word", overflow="fold")
            _add_numbers(table, columns)
        found = [
            sorted(record["words"][side], key=lambda item: item["right"])[:_WORDS_SHOWN]
            for side in sides
        ]
        for row in range(max(map(len, found))):
            cells: list[Text | str] = []
            for items in found:
                if row < len(items):
                    cells.append(Text(visible(items[row]["words"][0])))
                    cells += [number(items[row][label], 2) for label in shown]
                else:
                    cells += [""] * (1 + len(shown))
            table.add_row(*cells)
        yield _sized(table)


def _beside(value: str, interval: str, is_wide: bool) -> list[str]:
    """A number with its interval in the next column, or below it."""
    return [value, interval] if is_wide else ["\n".join(part for part in (value, interval) if part)]


def _percent(value: float | None) -> str:
    return "NA" if value is None else f"{value:+.1f} %".replace("-", "−")


def _add_numbers(table: Table, names: Iterable[str]) -> None:
    for name in names:
        header = name.replace(", ", ",\n")
        table.add_column(header, justify="right", no_wrap=True)


def _sized(table: Table) -> Table:
    """The table with columns of numbers that are never narrower than what stands in them."""
    for column in table.columns:
        if column.no_wrap:
            texts = [str(column.header), *map(str, column.cells)]
            column.min_width = max(len(line) for text in texts for line in text.split("\n"))
    return table


def _table(title: str) -> Table:
    return Table(
        title=Text(visible(title), style="bold"), title_justify="left", box=box.SIMPLE_HEAD
    )
