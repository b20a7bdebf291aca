"""A column chart of a few short labels, such as the axes of a subspace, with expected values."""

from collections.abc import Sequence
from typing import Any

from unslant.core.exhibits import Point
from unslant.core.wording import number
from unslant.reports.figures.figure import Cloud, Figure, Panel
from unslant.reports.figures.theme import CATEGORIES, QUIET
from unslant.reports.figures.values import of_rows, rounded

_WIDTH, _HEIGHT = 280, 170
_LONGEST = 3


def fits_upright(cloud: Cloud) -> bool:
    """Whether all labels are short enough to fit below their bars."""
    labels = [point.label for panel in cloud.panels for point in panel.points]
    return cloud.ends is None and all(len(label) <= _LONGEST for label in labels)


def upright(cloud: Cloud) -> Figure:
    """Bars of the first group and lines of the others, all panels on one scale."""
    import altair as alt

    values = [point.x for panel in cloud.panels for point in panel.points]
    domain = [rounded(1.05 * min(0.0, *values)), rounded(1.05 * max(0.0, *values))]
    groups = list(dict.fromkeys(p.group for panel in cloud.panels for p in panel.points))
    charts = [
        _chart(cloud, panel, groups, domain, is_left=place % 2 == 0)
        for place, panel in enumerate(cloud.panels)
    ]
    return Figure(
        name=cloud.name,
        title=cloud.title,
        caption=cloud.caption,
        description=" ".join(_description(cloud, panel, groups) for panel in cloud.panels),
        chart=alt.concat(*charts, columns=min(2, len(charts)), spacing=24),
    )


def _chart(
    cloud: Cloud, panel: Panel, groups: Sequence[str], domain: list[float], *, is_left: bool
) -> Any:
    import altair as alt

    labels = list(dict.fromkeys(point.label for point in panel.points))
    inks = [CATEGORIES[0], QUIET, *CATEGORIES[1:]][: len(groups)]
    legend = alt.Legend(orient="top", symbolType="square") if len(groups) > 1 else None
    encoded = {
        "x": alt.X(
            "label:O",
            title=None,
            scale=alt.Scale(domain=labels),
            axis=alt.Axis(labelAngle=0, grid=False),
        ),
        "y": alt.Y(
            "value:Q",
            title=cloud.x if is_left else None,
            scale=alt.Scale(domain=domain, nice=False),
            axis=alt.Axis(tickCount=5, format=".2~f"),
        ),
        "color": alt.Color(
            "of:N", title=None, scale=alt.Scale(domain=groups, range=inks), legend=legend
        ),
        "tooltip": [
            alt.Tooltip("of:N", title="of"),
            alt.Tooltip("label:N", title="label"),
            alt.Tooltip("value:Q", title=cloud.x, format=".3f"),
        ],
    }
    own, others = (
        of_rows(map(_row, part))
        for part in (
            [point for point in panel.points if point.group == groups[0]],
            [point for point in panel.points if point.group != groups[0]],
        )
    )
    line = others.mark_line(point={"size": 34, "filled": True}, strokeDash=[4, 3])
    title = alt.TitleParams(panel.heading, fontSize=12, fontWeight="normal", anchor="middle")
    return alt.layer(
        own.mark_bar(width={"band": 0.7}).encode(**encoded), line.encode(**encoded)
    ).properties(width=_WIDTH, height=_HEIGHT, title=title)


def _row(point: Point) -> dict[str, Any]:
    return {"label": point.label, "value": rounded(point.x), "of": point.group}


def _description(cloud: Cloud, panel: Panel, groups: Sequence[str]) -> str:
    said = []
    for group in groups:
        first = [point for point in panel.points if point.group == group][:2]
        if first:
            values = ", ".join(f"{point.label}: {number(point.x, 2)}" for point in first)
            said.append(f"{group} {values}".strip())
    lead = f"{panel.heading}: " if panel.heading else ""
    return f"{lead}{cloud.x}, first {'; '.join(said)}."
