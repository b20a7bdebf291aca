"""What a probe measured, before and after debiasing, beside what removing any direction does."""

from collections.abc import Iterator

from unslant.reports import words
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.neutrality_chart import (
    AFTER,
    ALONE,
    BEFORE,
    RANDOM,
    Row,
    measure_chart,
)
from unslant.reports.figures.probe_values import is_compared, plain_name
from unslant.reports.figures.values import rounded, shown
from unslant.reports.kinds import PROBE
from unslant.reports.words import Record, number


def neutrality(record: Record) -> Figure | None:
    """Bars of every measure of a probe with their intervals; None for other records."""
    if record.get("kind") != PROBE or not record["measurements"]:
        return None
    return Figure(
        name="measures",
        title=f"{shown(record['set']['title'])}: {_title(record)}",
        caption=_caption(record),
        description=_description(record),
        chart=measure_chart(list(_bars(record)), list(_controls(record)), _better(record)),
    )


def _title(record: Record) -> str:
    said = {
        "neutrality": "how neutral the answers are",
        "marked": "how far the answers are from neutral",
        "retention": "what the model still knows",
    }
    return said.get(record["set"]["family"], "what was measured")


def _bars(record: Record) -> Iterator[Row]:
    sides = [(BEFORE, record["before"]), (AFTER, record["measurements"])]
    if not is_compared(record):
        sides = [(ALONE, record["measurements"])]
    for when, items in sides:
        for place, item in enumerate(items):
            found = item["interval"]
            value = item["value"]
            yield {
                "place": place,
                "measure": shown(plain_name(item["metric"])),
                "when": when,
                "x": 0.0 if value is None else rounded(value),
                "zero": 0,
                "low": rounded(found["low"]) if found else None,
                "high": rounded(found["high"]) if found else None,
                "text": number(value),
                "title": shown(item["title"]),
                "span": words.interval(item, 3) or "–",
                "p": words.p_value(item["p"]) if item["p"] else "–",
                "better": item["better"],
                "note": shown(item["why_undefined"] or "–"),
            }


def _controls(record: Record) -> Iterator[Row]:
    for place, item in enumerate(record["controls"]):
        if not item["points"]:
            continue
        values = [point["value"] for point in item["points"]]
        metric = item["metric"].removesuffix("-control")
        yield {
            "place": place,
            "measure": shown(plain_name(metric)),
            "when": RANDOM,
            "low": rounded(min(values)),
            "high": rounded(max(values)),
            "draws": [rounded(value) for value in values],
            "values": ", ".join(number(value) for value in values),
            "p": words.p_value(item["p"]) if item["p"] else "–",
        }


def _caption(record: Record) -> str:
    first = record["measurements"][0]
    said = []
    if first["interval"]:
        said.append(f"Lines are {words.level(first)} intervals over words and templates.")
    if record["controls"]:
        k = record["control_directions"]
        taken = "a random direction was" if k == 1 else f"{k} random directions were"
        draws = max(len(item["points"]) for item in record["controls"])
        said.append(
            f"The band across both bars is the range of {draws} draws, a line each, in which "
            f"{taken} removed instead: a bar that ends within it shows no more than any direction "
            f"would."
        )
    if is_compared(record) and not record["retrained"]:
        said.append("One model read all of these vectors; it was trained on those before.")
    said.append("A model that calls every pair neutral would do well by most of these measures.")
    if record["set"]["family"] == "retention":
        said[-1] = "What the model did not know before cannot be lost."
    return " ".join(said)


def _description(record: Record) -> str:
    said = []
    befores = record["before"] or [None] * len(record["measurements"])
    controls = record["controls"] or [None] * len(record["measurements"])
    for item, old, control in zip(record["measurements"], befores, controls, strict=True):
        text = f"{shown(plain_name(item['metric']))}: {number(item['value'])}"
        if old is not None:
            text += f", before {number(old['value'])}"
        if control is not None and control["points"]:
            values = [point["value"] for point in control["points"]]
            text += f", random {number(min(values))} to {number(max(values))}"
        said.append(text)
    return f"{'; '.join(said)}. For each {_better(record)} is better."


def _better(record: Record) -> str:
    return str(record["measurements"][0]["better"])
