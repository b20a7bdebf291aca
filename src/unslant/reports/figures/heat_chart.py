"""The chart of a heat map: panels of coloured cells with their numbers."""

from collections.abc import Sequence
from typing import Any

from unslant.reports.figures.study_values import FULL
from unslant.reports.figures.theme import FIRST, QUIET, SECOND

_WIDTH, _NARROWEST, _WIDEST, _ROW = 560, 46, 66, 25
_OUTLINES = (("undefined", QUIET, [1, 0]), ("failed", SECOND, [1, 0]), ("missing", QUIET, [2, 3]))
_TIPS = {
    "resource": "vectors",
    "method": "method",
    "measure": "measure",
    "value": "value",
    "span": "interval",
    "p": "p",
    "note": "note",
}

_SHOWN = (*_TIPS, "name", "state", "text", "best", "side", "strength")

ChartRow = dict[str, Any]


def heat_chart(rows: Sequence[ChartRow], sides: Sequence[str]) -> Any:
    """A panel for each ``panel`` of the rows; measures are named above the first only."""
    import altair as alt

    panels = list(dict.fromkeys(row["panel"] for row in rows))
    charts = [
        _panel([row for row in rows if row["panel"] == panel], rows, sides, is_first=not number)
        for number, panel in enumerate(panels)
    ]
    if len(charts) == 1:
        return charts[0]
    titled = [
        chart.properties(title=alt.TitleParams(panel, fontSize=12, anchor="start", frame="group"))
        for panel, chart in zip(panels, charts, strict=True)
    ]
    return alt.vconcat(*titled, spacing=12)


def _panel(
    rows: Sequence[ChartRow], every: Sequence[ChartRow], sides: Sequence[str], is_first: bool
) -> Any:
    import altair as alt

    # Domains are lists: a sort by text would become an expression with a user's words in it.
    measures = list(dict.fromkeys(row["measure"] for row in every))
    names = list(dict.fromkeys(row["name"] for row in rows))
    quiet = {"domain": False, "ticks": False, "title": None}
    x = alt.X("measure:N", scale=_bands(measures)).axis(
        orient="top", labelAngle=-35, labelLimit=150, labelPadding=4, labels=is_first, **quiet
    )
    y = alt.Y("name:N", scale=_bands(names)).axis(labelLimit=200, labelPadding=6, **quiet)
    tips = [alt.Tooltip(f"{field}:N", title=title) for field, title in _TIPS.items()]
    place = {"x": x, "y": y, "tooltip": tips}
    is_coloured = any(row["strength"] for row in every)
    legend = alt.Legend(orient="bottom", title=None, symbolType="square", symbolOpacity=FULL)
    colours = alt.Scale(domain=list(sides), range=[FIRST, SECOND][-len(sides) :])
    cells = alt.Chart().mark_rect(cornerRadius=2)
    fills = cells.transform_filter("datum.strength > 0").encode(
        color=alt.Color("side:N", scale=colours, legend=legend if is_coloured else None),
        opacity=alt.Opacity("strength:Q", scale=None),
        **place,
    )
    outlines = [
        alt.Chart()
        .mark_rect(cornerRadius=2, fill="transparent", stroke=ink, strokeWidth=1.2, strokeDash=dash)
        .transform_filter(alt.FieldEqualPredicate(field="state", equal=state))
        .encode(**place)
        for state, ink, dash in _OUTLINES
        if any(row["state"] == state for row in rows)
    ]
    texts = [
        alt.Chart()
        .mark_text(fontSize=11, fontWeight=weight)
        .transform_filter(alt.FieldEqualPredicate(field="best", equal=is_best))
        .encode(text="text:N", **place)
        for weight, is_best in (("normal", False), ("bold", True))
    ]
    kept = [{field: row[field] for field in _SHOWN} for row in rows]
    wide = min(max(_WIDTH // len(measures), _NARROWEST), _WIDEST)
    return alt.layer(fills, *outlines, *texts, data=alt.Data(values=kept)).properties(
        width=wide * len(measures), height=_ROW * len(names)
    )


def _bands(names: Sequence[str]) -> Any:
    import altair as alt

    return alt.Scale(domain=list(names), paddingInner=0.05, paddingOuter=0)
