"""Lines of values along an order, such as the layers of a model, with their intervals."""

from typing import Any

from unslant.core.exhibits import Curves, Point
from unslant.core.visible import visible
from unslant.core.wording import number, span
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import CATEGORIES, QUIET
from unslant.reports.figures.values import of_rows, rounded, slug

_WIDTH, _HEIGHT = 560, 240
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_TOLD = 4


def curves(exhibit: Curves) -> Figure:
    """One line for each group, bands for intervals, and a dashed line to compare with."""
    import altair as alt

    groups = list(dict.fromkeys(point.group for point in exhibit.points))
    labels = list(dict.fromkeys(visible(point.label) for point in exhibit.points))
    ends = [v for p in exhibit.points for v in (p.x, p.low, p.high) if v is not None]
    ends += [exhibit.level] if exhibit.level is not None else []
    margin = 0.05 * (max(ends) - min(ends)) or 0.1
    domain = [rounded(min(ends) - margin), rounded(max(ends) + margin)]
    x = alt.X(
        "label:O",
        title=exhibit.x,
        scale=alt.Scale(domain=labels),
        axis=alt.Axis(labelAngle=-40 if max(map(len, labels)) > 4 else 0, grid=False),
    )
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    axis = alt.Axis(tickCount=6, format=".2~f")
    names = [visible(group) for group in groups]
    inks = [CATEGORIES[place % len(CATEGORIES)] for place in range(len(groups))]
    legend = alt.Legend(orient="top", title=None) if len(groups) > 1 else None
    colour = alt.Color("of:N", scale=alt.Scale(domain=names, range=inks), legend=legend)
    shapes = [_SHAPES[place % len(_SHAPES)] for place in range(len(groups))]
    shape = alt.Shape("of:N", scale=alt.Scale(domain=names, range=shapes), legend=legend)
    tips = [
        alt.Tooltip("label:N", title=exhibit.x),
        alt.Tooltip("of:N", title="of"),
        alt.Tooltip("value:Q", title=exhibit.y, format=".3f"),
        alt.Tooltip("span:N", title="interval"),
    ]
    data = of_rows(_row(point) for point in exhibit.points)
    value = alt.Y("value:Q", title=exhibit.y, scale=scale, axis=axis)
    layers: list[Any] = [
        of_rows(_row(p) for p in exhibit.points if p.low is not None)
        .mark_area(opacity=0.16)
        .encode(x=x, y=alt.Y("low:Q", scale=scale, title=exhibit.y), y2="high:Q", color=colour),
        data.mark_line(strokeWidth=2).encode(x=x, y=value, color=colour),
        data.mark_point(filled=True, size=50).encode(
            x=x, y=value, color=colour, shape=shape, tooltip=tips
        ),
    ]
    if exhibit.level is not None:
        layers.append(
            of_rows([{"value": rounded(exhibit.level)}])
            .mark_rule(color=QUIET, strokeDash=[5, 4])
            .encode(y=alt.Y("value:Q", scale=scale, title=exhibit.y))
        )
    if marked := [{"label": visible(label)} for label in exhibit.marked]:
        layers.append(
            of_rows(marked)
            .mark_text(text="▲", fontSize=13, baseline="bottom")
            .encode(x=x, y=alt.YValue(_HEIGHT))
        )
    caption = exhibit.caption or f"Each line shows {exhibit.y} by {exhibit.x}."
    if any(point.low is not None for point in exhibit.points):
        caption += f" Bands are {exhibit.bands}."
    if exhibit.level_says:
        caption += f" The dashed line is {exhibit.level_says}."
    if exhibit.marked:
        caption += " Triangles mark where a band lies above it."
    return Figure(
        name=slug(exhibit.id),
        title=exhibit.title,
        caption=caption,
        description=_description(exhibit, groups),
        chart=alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT),
    )


def _row(point: Point) -> dict[str, Any]:
    row = {"label": visible(point.label), "value": rounded(point.x), "of": visible(point.group)}
    if point.low is None or point.high is None:
        return row | {"span": "–"}
    low, high = rounded(point.low), rounded(point.high)
    return row | {"low": low, "high": high, "span": span(point.low, point.high, 2)}


def _description(exhibit: Curves, groups: list[str]) -> str:
    said = []
    for group in groups[:_TOLD]:
        own = [point for point in exhibit.points if point.group == group]
        first, last = own[0], own[-1]
        top = max(own, key=lambda point: point.x)
        said.append(
            f"{group or exhibit.y}: {number(first.x, 2)} at {first.label}, {number(last.x, 2)} at "
            f"{last.label}, highest {number(top.x, 2)} at {top.label}."
        )
    return " ".join([exhibit.says, *said]).strip()
