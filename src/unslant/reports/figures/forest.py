"""Association tests below each other: effect, interval and p-value, before and after."""

import textwrap
from collections.abc import Sequence
from typing import Any

from unslant.reports.figures.figure import Figure
from unslant.reports.figures.panels import Record, not_comparable
from unslant.reports.figures.rowplot import LINE_HEIGHT, RowPlot
from unslant.reports.figures.rows import of_rows
from unslant.reports.figures.theme import FIRST, QUIET
from unslant.reports.figures.values import rounded, shown
from unslant.reports.words import (
    baseline_of,
    corrected,
    counted,
    interval,
    level,
    number,
    of_metric,
    p_value,
    probability,
)

_LINE = 36
_LINES = 3
_AFTER = {"filled": True, "shape": "diamond", "size": 90, "color": FIRST, "opacity": 1}
_BEFORE = {"filled": False, "shape": "circle", "size": 60, "color": QUIET, "opacity": 1}

_TIPS = {
    "title": "test",
    "effect": "effect size",
    "interval": "interval",
    "p": "p",
    "holm": "Holm p",
}

Row = dict[str, Any]


def forest(record: Record) -> Figure | None:
    """The association tests of a record by WEAT; none where none was measured."""
    tests = [item for item in of_metric(record, "weat") if item["value"] is not None]
    if not tests:
        return None
    pairs = [(item, baseline_of(record, item)) for item in tests]
    rows = [
        {"row": place, **_row(record, item, before)} for place, (item, before) in enumerate(pairs)
    ]
    unlike = sum(bool(not_comparable(item, before)) for item, before in pairs)
    left_out = len(of_metric(record, "weat")) - len(tests)
    return Figure(
        name="forest",
        title="Effect sizes of the association tests (WEAT)",
        caption=_caption(tests, unlike, left_out, is_pair=any("before" in row for row in rows)),
        description=_told(record, tests),
        chart=_chart(rows),
    )


def _row(record: Record, item: Record, before: Record | None) -> Row:
    holm = corrected(record, item, "holm")
    row: Row = {
        "title": shown(item["title"]),
        "x": rounded(item["value"]),
        "effect": number(item["value"], 2),
        "p": p_value(item["p"]),
        "holm": "" if holm is None else probability(holm),
        "interval": interval(item),
    }
    if item["interval"]:
        row |= {key: rounded(item["interval"][key]) for key in ("low", "high")}
    if before and before["value"] is not None:
        row["earlier"] = rounded(before["value"])
        row["mark"] = "≠ " if not_comparable(item, before) else ""
        row["before"] = f"{row['mark']}{number(before['value'], 2)}"
    return row


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, _LINE, max_lines=_LINES, placeholder=" …", break_on_hyphens=False
    ) or [""]


def _chart(rows: Sequence[Row]) -> Any:
    import altair as alt

    titles = {row["row"]: _wrapped(row.get("mark", "") + row["title"]) for row in rows}
    plot = RowPlot(len(rows), 12 + LINE_HEIGHT * max(map(len, titles.values())), 244, 520)
    values = [row[key] for row in rows for key in ("x", "low", "high", "earlier") if key in row]
    x = plot.x(values, "effect size, in standard deviations")
    is_pair = any("before" in row for row in rows)
    tips = [alt.Tooltip(f"{field}:N", title=title) for field, title in _TIPS.items()]
    if is_pair:
        tips.append(alt.Tooltip("before:N", title="before"))
    common = {"y": plot.y(), "tooltip": tips}

    def of(key: str) -> Any:
        return of_rows([{**row, "x": row[key]} for row in rows if key in row])

    layers = [
        plot.zero(x),
        of("low").mark_rule(strokeWidth=2, color=FIRST).encode(x=x, x2=alt.X2("high:Q"), **common),
        of("earlier").mark_point(**_BEFORE).encode(x=x, **common),
        of("x").mark_point(**_AFTER).encode(x=x, **common),
        *plot.texts(titles, plot.left - 10, "right"),
    ]
    columns = (("p", "p", 576.0), ("holm", "Holm p", float(plot.width)))
    for field, _, end in columns:
        layers += plot.texts({row["row"]: [row[field]] for row in rows}, end, "right")
    name = "after, with its interval" if is_pair else "effect, with its interval"
    entries = [(_BEFORE, "before"), (_AFTER, name)] if is_pair else [(_AFTER, name)]
    return plot.below(plot.key(entries, [(head, end) for _, head, end in columns]), *layers)


def _caption(tests: Sequence[Record], unlike: int, left_out: int, *, is_pair: bool) -> str:
    found = next((level(item) for item in tests if item["interval"]), "")
    text = "Each row is a test: how much closer the first targets are to the first attributes than "
    text += "the second targets are, in standard deviations, out of about ±2; 0 is no difference. "
    if found:
        text += f"Lines are {found} intervals over the words of the lists. "
    text += (
        "p is the share of ways to divide the targets that give as large an effect, and Holm p is "
        "corrected for the number of tests. An effect describes these word lists, and a small one "
        "with a wide interval is no sign of neutrality."
    )
    if is_pair:
        text += " Hollow marks are the vectors before; p is of those after."
    if unlike:
        text += f" {unlike} of the tests (≠) used other words before, so the marks do not compare."
    return f"{text} Tests without a value: {left_out}." if left_out else text


def _told(record: Record, tests: Sequence[Record]) -> str:
    by_size = sorted(tests, key=lambda item: -abs(item["value"]))
    first, last = by_size[0], by_size[-1]
    clear = sum((corrected(record, item, "holm") or 1) <= 0.05 for item in tests)
    said = [f"{shown(item['title'])}, {number(item['value'], 2)}" for item in (first, last)]
    return (
        f"Effect sizes of {counted(len(tests), 'association test')}. Largest: {said[0]}. "
        f"Smallest: {said[1]}. {clear} {'has' if clear == 1 else 'have'} p of at most .05 after "
        f"Holm’s correction."
    )
