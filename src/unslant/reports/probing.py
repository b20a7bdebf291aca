"""An NLI probe as tables in the terminal."""

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unslant.reports import words
from unslant.reports.words import Record, number, visible

_WORDS_SHOWN = 6
_LABELS = ("entailment", "neutral", "contradiction")
_COLUMNS = ("E", "N", "C")
_LEGEND = "E, N, C: the probabilities of entailment, neutral and contradiction"


def probe_tables(record: Record) -> RenderableType:
    """The measures with what they changed, the most extreme pairs and the most extreme words."""
    return Group(*_parts(record))


def _parts(record: Record) -> Iterator[RenderableType]:
    yield Padding(Text("\n".join(_answer(record))), (1, 0))
    yield _measures(record)
    yield from _changes(record)
    yield _examples(record)
    yield from _slices(record)
    yield _words(record)
    yield Text(_LEGEND, style="dim")
    if record["hashed_words"]:
        listed = ", ".join(map(visible, record["hashed_words"]))
        yield Text(f"Not in the vectors, so read as a hash of the word: {listed}", style="yellow")
    warnings = dict.fromkeys(
        warning for item in record["measurements"] for warning in item["warnings"]
    )
    for warning in warnings:
        yield Text(f"Note: {visible(warning)}", style="yellow")


def _answer(record: Record) -> list[str]:
    """What was asked of what, in plain sentences."""
    pairs, model = record["set"], record["models"][0]
    accuracy = model["dev_accuracy"]
    known = f", which is right on {accuracy:.1%} of its dev set" if accuracy is not None else ""
    sentences = [
        f"{pairs['title']}: {pairs['pairs']:,} pairs ({pairs['premises']} × {pairs['hypotheses']} "
        f"× {pairs['contexts']:,}) were asked of the model {model['model']}{known}, reading "
        f"{record['vectors']['name']}."
    ]
    if record["debiasing"] is not None and not record["retrained"]:
        sentences.append(
            "The model was trained on the vectors before debiasing; to train one on those after, "
            "as the papers do, add --retrain FOLDER."
        )
    return [visible(sentence) for sentence in sentences]


def _measures(record: Record) -> Table:
    table = _table("Measures")
    table.add_column("measure", ratio=1, overflow="fold")
    has_p = any(item["p"] for item in record["measurements"])
    for column in ("value", "95 % interval", *(["p"] if has_p else [])):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("better", no_wrap=True, style="dim")
    for item in record["measurements"]:
        table.add_row(
            Text(visible(item["title"])),
            number(item["value"]),
            words.interval(item, 3),
            *([words.p_value(item["p"]) if item["p"] else ""] if has_p else []),
            item["better"],
        )
    return table


def _changes(record: Record) -> Iterator[Table]:
    if not record["before"]:
        return
    table = _table("Before and after debiasing")
    table.add_column("measure", ratio=1, overflow="fold")
    columns = ["before", "after", "change", "95 % interval"]
    columns += ["random"] if record["controls"] else []
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for place, (after, change) in enumerate(
        zip(record["measurements"], record["changes"], strict=True)
    ):
        table.add_row(
            after["metric"],
            number(record["before"][place]["value"]),
            number(after["value"]),
            _percent(change["value"]),
            words.interval(change, 1),
            *([_control(record["controls"][place])] if record["controls"] else []),
        )
    if record["controls"]:
        count = record["controls"][0]["details"].get("controls")
        table.caption = f"random: mean ± standard deviation of {count} removed random directions"
    yield table


def _control(item: Record) -> str:
    mean = number(item["details"].get("mean of the controls"))
    spread = item["details"].get("standard deviation of the controls")
    return mean if spread is None else f"{mean} ± {number(spread)}"


def _examples(record: Record) -> Table:
    table = _table("The least neutral answers, one for each pair of words")
    table.add_column("premise", ratio=1, overflow="fold")
    table.add_column("hypothesis", ratio=1, overflow="fold")
    for column in _COLUMNS:
        table.add_column(column, justify="right", no_wrap=True)
    for found in record["examples"].values():
        for item in found:
            shares = (number(item[label], 2) for label in _LABELS)
            table.add_row(
                Text(visible(item["premise"])), Text(visible(item["hypothesis"])), *shares
            )
        table.add_section()
    return table


def _slices(record: Record) -> Iterator[Table]:
    if not record["slices"]:
        return
    table = _table("Mean answers of the words asked for")
    table.add_column("words", ratio=1, overflow="fold")
    for column in (*_COLUMNS, "pairs"):
        table.add_column(column, justify="right", no_wrap=True)
    for item in record["slices"]:
        shares = (number(item[label]) for label in _LABELS)
        table.add_row(Text(visible(" → ".join(item["words"]))), *shares, f"{item['pairs']:,}")
    yield table


def _words(record: Record) -> Table:
    """The words whose answers are least neutral, on either side."""
    table = _table("Words with the least neutral answers")
    for side in ("premise", "hypothesis"):
        table.add_column(f"{side} word", no_wrap=True)
        for column in _COLUMNS:
            table.add_column(column, justify="right", no_wrap=True)
    sides = [
        sorted(record["words"][side], key=lambda item: item["neutral"])[:_WORDS_SHOWN]
        for side in ("premise", "hypothesis")
    ]
    for row in range(max(map(len, sides))):
        cells: list[Text | str] = []
        for found in sides:
            if row < len(found):
                cells.append(Text(visible(found[row]["words"][0])))
                cells += [number(found[row][label], 2) for label in _LABELS]
            else:
                cells += [""] * 4
        table.add_row(*cells)
    return table


def _percent(value: float | None) -> str:
    return "NA" if value is None else f"{value:+.1f} %".replace("-", "−")


def _table(title: str) -> Table:
    return Table(
        title=Text(visible(title), style="bold"), title_justify="left", box=box.SIMPLE_HEAD
    )
