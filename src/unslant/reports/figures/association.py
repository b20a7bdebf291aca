"""Bars of how words of one's own lean between groups of one's own, with intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import FIRST, SECOND, THIRD
from unslant.reports.figures.values import rounded, shortened
from unslant.reports.words import counted, number, visible

KIND = "unslant association 1"
_WIDTH = 470
_ROW = 22
_LONGEST_NAME = 28
_MEAN = "mean of the list"


def association(record: Mapping[str, Any]) -> tuple[Figure, ...]:
    """One picture for each contrast of the record, the words from one side to the other."""
    if record.get("kind") != KIND:
        return ()
    edge = _edge(record["contrasts"])
    return tuple(
        _figure(record, contrast, place, edge)
        for place, contrast in enumerate(record["contrasts"], 1)
    )


def _edge(contrasts: Sequence[Mapping[str, Any]]) -> float:
    """How far the scale reaches to both sides, the same in all pictures of a record."""
    items = [item for contrast in contrasts for item in (*contrast["words"], contrast["mean"])]
    largest = max(abs(item[key] or 0.0) for item in items for key in ("value", "low", "high"))
    return rounded(1.05 * largest) or 1.0


def _figure(
    record: Mapping[str, Any], contrast: Mapping[str, Any], place: int, edge: float
) -> Figure:
    group = shortened(contrast["group"], _LONGEST_NAME)
    other = (
        shortened(contrast["against"][0], _LONGEST_NAME)
        if len(contrast["against"]) == 1
        else "the others"
    )
    if group == other:  # sides are told apart by their names
        group, other = f"{group} (first)", f"{other} (second)"
    level = f"{record['interval']['level']:.0%}"
    return Figure(
        name="association" if len(record["contrasts"]) == 1 else f"association-{place}",
        title=f"Leaning to {group} or to {other}",
        caption=f"Each bar is the mean cosine of a word with the words of {group} less that with "
        f"{other}; the line across its end is the {level} interval over the words of the groups. "
        f"An interval that holds 0 leaves the side open. The diamond is the mean of the list. "
        f"Other words for the same groups can give other numbers.",
        description=_description(contrast, group, other, level),
        chart=_chart(_rows(contrast, group, other), (group, other), level, edge),
    )


def _description(contrast: Mapping[str, Any], group: str, other: str, level: str) -> str:
    words = sorted(contrast["words"], key=lambda item: -item["value"])
    sure = [item for item in words if item["low"] is not None and item["low"] * item["high"] > 0]
    mean = contrast["mean"]
    span = (
        f" ({level} interval {number(mean['low'])} to {number(mean['high'])})"
        if mean["low"] is not None
        else ""
    )
    return (
        f"{counted(len(words), 'word')}: furthest to {group} is "
        f"{visible(words[0]['word'])} with {number(words[0]['value'])}, furthest to {other} is "
        f"{visible(words[-1]['word'])} with {number(words[-1]['value'])}. "
        f"{len(sure)} of {len(words)} have an interval that does not hold 0. "
        f"The mean of the list is {number(mean['value'])}{span}."
    )


def _rows(contrast: Mapping[str, Any], group: str, other: str) -> list[dict[str, Any]]:
    ordered = sorted(contrast["words"], key=lambda item: -item["value"])
    rows = [
        {
            "word": visible(item["word"]),
            "order": place,
            "side": group if item["value"] >= 0 else other,
            **_numbers(item),
        }
        for place, item in enumerate(ordered)
    ]
    return [*rows, {"word": _MEAN, "order": len(rows), "side": "", **_numbers(contrast["mean"])}]


def _numbers(item: Mapping[str, Any]) -> dict[str, Any]:
    has_interval = item["low"] is not None
    return {
        "value": rounded(item["value"]),
        "low": rounded(item["low"]) if has_interval else None,
        "high": rounded(item["high"]) if has_interval else None,
        "interval": f"{number(item['low'])} to {number(item['high'])}" if has_interval else "none",
    }


def _chart(rows: list[dict[str, Any]], sides: tuple[str, str], level: str, edge: float) -> Any:
    import altair as alt

    group, other = sides
    tips = [
        alt.Tooltip("word:N", title="word"),
        alt.Tooltip("value:Q", title="association", format=".3f"),
        alt.Tooltip("interval:N", title=f"{level} interval"),
    ]
    y = alt.Y("word:N", title=None, sort=alt.EncodingSortField(field="order", op="min"))
    y = y.axis(labelLimit=180, ticks=False, domain=False, labelPadding=8)
    title = f"← nearer to {other}  ·  association  ·  nearer to {group} →"
    x = alt.X("value:Q", title=title, scale=alt.Scale(domain=[-edge, edge], nice=False))
    colour = alt.Color("side:N", legend=None).scale(domain=[group, other], range=[FIRST, SECOND])
    words = alt.Chart(alt.Data(values=rows[:-1]))
    mean = alt.Chart(alt.Data(values=rows[-1:]))
    bars = words.mark_bar(height=13, opacity=0.5).encode(y=y, x=x, color=colour, tooltip=tips)
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(strokeWidth=1).encode(x="x:Q")
    spans = alt.Chart(alt.Data(values=[row for row in rows if row["low"] is not None]))
    lines = spans.mark_rule(strokeWidth=2).encode(y=y, x="low:Q", x2="high:Q", tooltip=tips)
    diamond = mean.mark_point(shape="diamond", filled=True, size=140, color=THIRD, opacity=1)
    return alt.layer(bars, zero, lines, diamond.encode(y=y, x=x, tooltip=tips)).properties(
        width=_WIDTH, height=_ROW * len(rows)
    )
