"""The chart of a probe's scores: bars before and after, intervals, and a band of controls."""

from collections.abc import Sequence
from typing import Any

from unslant.reports.figures.theme import FIRST, QUIET, THIRD
from unslant.reports.figures.values import of_rows, rounded

AFTER, BEFORE, RANDOM = "after", "before", "random directions"
ALONE = "now"

_PLOT, _BAR, _GROUP = 330, 15, 46
_CLOSE_TO_1 = 0.8
_TIPS = {
    "title": "score",
    "when": "when",
    "text": "value",
    "span": "interval",
    "p": "p",
    "better": "better",
    "note": "note",
}

Row = dict[str, Any]


def score_bars(rows: Sequence[Row], controls: Sequence[Row], better: str) -> Any:
    """A bar for each row of data beside the others of its measure, with intervals and controls."""
    import altair as alt

    measures = list(dict.fromkeys(row["measure"] for row in rows))
    whens = [when for when in (BEFORE, AFTER, ALONE) if any(r["when"] == when for r in rows)]
    group = _GROUP if len(whens) > 1 else _GROUP - _BAR
    scale = alt.Scale(domain=_domain(rows, controls), nice=False)
    axis = alt.Axis(tickCount=5, format=".2~f")
    x = alt.X("x:Q", title=f"value ({better} is better)", axis=axis, scale=scale)
    y = alt.Y("measure:N", title=None, scale=alt.Scale(domain=measures, padding=0.12))
    y = y.axis(labelLimit=400, ticks=False, domain=False, labelPadding=8)
    offset = alt.YOffset(
        "when:N", scale=alt.Scale(domain=whens, paddingInner=0.15, paddingOuter=0.1)
    )
    tips = [alt.Tooltip(f"{field}:N", title=title) for field, title in _TIPS.items()]
    legend = [*whens, *([RANDOM] if controls else [])]
    inks = {BEFORE: QUIET, AFTER: FIRST, ALONE: FIRST, RANDOM: THIRD}
    looks = alt.Scale(domain=legend, range=[inks[when] for when in legend])
    key = {"orient": "top", "symbolType": "square", "symbolOpacity": 1}
    shown = alt.Legend(**key) if len(legend) > 1 else None
    colour = alt.Color("when:N", title=None, scale=looks, legend=shown)
    # Pale inside, so that intervals are seen on it; full around, so that it stands out itself.
    edge = alt.Stroke("when:N", title=None, scale=looks, legend=shown)
    place = {"y": y, "yOffset": offset, "tooltip": tips}
    known = of_rows(row for row in rows if row["text"] != "NA")  # an edge at 0 would be a value
    bars = known.mark_bar(fillOpacity=0.6, strokeWidth=1)
    spans = of_rows(row for row in rows if row["low"] is not None).mark_rule(strokeWidth=1.6)
    texts = of_rows(rows).mark_text(align="left", fontSize=11)
    return alt.layer(
        bars.encode(x=x, x2="zero:Q", color=colour, stroke=edge, **place),
        *_bands(controls, scale, y, colour),
        spans.encode(x=alt.X("low:Q", scale=scale), x2="high:Q", **place),
        texts.encode(x=alt.value(_PLOT + 8), text="text:N", **place),
    ).properties(width=_PLOT, height=group * len(measures))


def _bands(controls: Sequence[Row], scale: Any, y: Any, colour: Any) -> list[Any]:
    """The range of the controls across both bars, and a tick for each of them."""
    import altair as alt

    if not controls:
        return []
    tips = [
        alt.Tooltip("measure:N", title="measure"),
        alt.Tooltip("values:N", title="with random directions removed"),
        alt.Tooltip("p:N", title="share at least as good as the method"),
    ]
    place = {"y": y, "tooltip": tips}
    band = of_rows(controls).mark_bar(opacity=0.25)
    draws = [{**row, "x": value} for row in controls for value in row["draws"]]
    ticks = of_rows(draws).mark_tick(thickness=1.6, bandSize=_GROUP - 6, opacity=1)
    return [
        band.encode(x=alt.X("low:Q", scale=scale), x2="high:Q", color=colour, **place),
        ticks.encode(x=alt.X("x:Q", scale=scale), color=colour, **place),
    ]


def _domain(rows: Sequence[Row], controls: Sequence[Row]) -> list[float]:
    """Room for 0 and for all bars and intervals, up to 1 if the longest comes close to it."""
    ends = [
        row[end] for row in (*rows, *controls) for end in ("x", "low", "high") if row.get(end)
    ] or [1.0]
    low, high = min(0.0, *ends), max(0.0, *ends)
    return [
        rounded(1.04 * low),
        1.0 if _CLOSE_TO_1 < high <= 1 else rounded(1.04 * high),
    ]
