"""Results of one measure below each other: value, interval and p-value, before and after."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from unslant.core.record import Meaning, Record, Result
from unslant.core.wording import called, counted, interval, number, p_value, probability
from unslant.reports.figures.bars import LINE_HEIGHT, RowPlot
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import FIRST, QUIET
from unslant.reports.figures.values import (
    intervals_text,
    of_rows,
    rounded,
    slug,
    tooltips,
)

_LINE = 36
_LINES = 3
_AFTER = {"filled": True, "shape": "diamond", "size": 90, "color": FIRST, "opacity": 1}
_BEFORE = {"filled": False, "shape": "circle", "size": 60, "color": QUIET, "opacity": 1}
_TIPS = {"title": "test", "effect": "value", "interval": "interval", "p": "p", "holm": "Holm p"}

Row = dict[str, Any]


def forests(record: Record) -> Iterator[Figure]:
    """A figure for each measure of association tests that has intervals.

    Results at places of a model are drawn along its layers instead.
    """
    families: dict[str, list[Result]] = {}
    for result in record.results:
        meaning = record.glossary.get(result.now.metric)
        is_at_place = "place" in result.now.parameters
        if meaning is not None and meaning.role == "test" and not is_at_place:
            families.setdefault(result.now.metric, []).append(result)
    for name, family in families.items():
        if any(result.now.interval and result.now.value is not None for result in family):
            yield _figure(name, record.glossary[name], family)


def _figure(name: str, meaning: Meaning, family: Sequence[Result]) -> Figure:
    results = [result for result in family if result.now.value is not None]
    what = meaning.short or called(name)
    rows = [{"row": place, **_row(result)} for place, result in enumerate(results)]
    return Figure(
        name=f"forest-{slug(name)}",
        title=f"Association tests: {what}",
        caption=_caption(meaning, results, len(family) - len(results)),
        description=_description(results),
        chart=_chart(rows, f"{what}, {meaning.range} ({meaning.better} is better)"),
    )


def _row(result: Result) -> Row:
    now, before = result.now, result.before
    row: Row = {
        "title": now.title,
        "x": rounded(now.value or 0.0),
        "effect": number(now.value, 2),
        "p": p_value(now.p) if now.p else "",
        "holm": probability(result.corrected.holm) if result.corrected else "",
        "interval": interval(now.interval, 2),
    }
    if now.interval:
        row |= {"low": rounded(now.interval.low), "high": rounded(now.interval.high)}
    if before and before.value is not None:
        row["earlier"] = rounded(before.value)
        row["mark"] = "≠ " if result.not_comparable else ""
        row["before"] = f"{row['mark']}{number(before.value, 2)}"
    return row


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, _LINE, max_lines=_LINES, placeholder=" …", break_on_hyphens=False
    ) or [""]


def _chart(rows: Sequence[Row], axis: str) -> Any:
    import altair as alt

    titles = {row["row"]: _wrapped(row.get("mark", "") + row["title"]) for row in rows}
    plot = RowPlot(len(rows), 12 + LINE_HEIGHT * max(map(len, titles.values())), 244, 520)
    values = [row[key] for row in rows for key in ("x", "low", "high", "earlier") if key in row]
    x = plot.x(values, axis)
    is_pair = any("before" in row for row in rows)
    tips = _TIPS | ({"before": "before"} if is_pair else {})
    common = {"y": plot.y(), "tooltip": tooltips(tips)}

    def of(key: str) -> Any:
        return of_rows([{**row, "x": row[key]} for row in rows if key in row])

    layers = [
        plot.zero(x),
        of("low").mark_rule(strokeWidth=2, color=FIRST).encode(x=x, x2=alt.X2("high:Q"), **common),
        of("earlier").mark_point(**_BEFORE).encode(x=x, **common),
        of("x").mark_point(**_AFTER).encode(x=x, **common),
        *plot.texts(titles, plot.left - 10, "right"),
    ]
    columns = [
        column
        for column in (("p", "p", 576.0), ("holm", "Holm p", float(plot.width)))
        if any(row[column[0]] for row in rows)
    ]
    for field, _, end in columns:
        layers += plot.texts({row["row"]: [row[field]] for row in rows}, end, "right")
    name = "after, with its interval" if is_pair else "value, with its interval"
    entries = [(_BEFORE, "before"), (_AFTER, name)] if is_pair else [(_AFTER, name)]
    return plot.below(plot.key(entries, [(head, end) for _, head, end in columns]), *layers)


def _caption(meaning: Meaning, results: Sequence[Result], left_out: int) -> str:
    said = [
        f"Each row is one test. {meaning.summary}",
        intervals_text(result.now.interval for result in results),
    ]
    if any(result.now.p for result in results):
        said.append("p is for a single test; Holm p is corrected for the number of tests.")
    said.append(
        "A value describes these word lists only; with a wide interval it does not show neutrality."
    )
    if any(result.before for result in results):
        said.append("Hollow marks are the values before; p is for the values after.")
    unlike = sum(bool(result.not_comparable) for result in results)
    if unlike:
        said.append(f"{counted(unlike, 'test')} (≠) used other words before: do not compare these.")
    if left_out:
        said.append(f"Tests without a value: {left_out}.")
    return " ".join(sentence for sentence in said if sentence)


def _description(results: Sequence[Result]) -> str:
    by_size = sorted(results, key=lambda result: -abs(result.now.value or 0.0))
    said = [
        f"{result.now.title}, {number(result.now.value, 2)}" for result in (by_size[0], by_size[-1])
    ]
    text = f"{counted(len(results), 'association test')}. Largest: {said[0]}. Smallest: {said[1]}."
    corrected = [result.corrected.holm for result in results if result.corrected]
    if corrected:
        clear = sum(p <= 0.05 for p in corrected)
        text += f" {clear} {'has' if clear == 1 else 'have'} a Holm-corrected p of at most .05."
    return text
