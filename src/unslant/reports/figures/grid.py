"""A heat map of values by row and column, such as the heads of a model's layers."""

from typing import Any

from unslant.core.exhibits import Grid
from unslant.core.visible import visible
from unslant.core.wording import number
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import FIRST, SECOND
from unslant.reports.figures.values import of_rows, rounded, slug

_WIDTH, _NARROWEST, _WIDEST, _ROW = 600, 34, 56, 24
_FULL = 0.85


def grid(exhibit: Grid) -> Figure:
    """Cells with their numbers; colour and strength say how far each is from the level."""
    import altair as alt

    cells = [
        (row, column, value)
        for row, values in zip(exhibit.rows, exhibit.values, strict=True)
        for column, value in zip(exhibit.columns, values, strict=True)
        if value is not None
    ]
    furthest = max((abs(value - exhibit.level) for *_, value in cells), default=0.0) or 1.0
    level = number(exhibit.level, 2)
    sides = [f"above {level}", f"below {level}"]
    rows: list[dict[str, Any]] = [
        {
            "row": visible(row),
            "column": visible(column),
            "text": number(value, 2),
            "value": rounded(value),
            "side": sides[0] if value >= exhibit.level else sides[1],
            "strength": rounded(_FULL * abs(value - exhibit.level) / furthest),
        }
        for row, column, value in cells
    ]
    quiet: dict[str, Any] = {"domain": False, "ticks": False, "labelPadding": 6}
    bands = [
        alt.Scale(domain=[visible(name) for name in names], paddingInner=0.05, paddingOuter=0)
        for names in (exhibit.columns, exhibit.rows)
    ]
    x = alt.X("column:N", title=exhibit.x or None, scale=bands[0]).axis(labelAngle=0, **quiet)
    y = alt.Y("row:N", title=exhibit.y or None, scale=bands[1]).axis(**quiet)
    tips = [
        alt.Tooltip("row:N", title=exhibit.y or "row"),
        alt.Tooltip("column:N", title=exhibit.x or "column"),
        alt.Tooltip("value:Q", title="value", format=".3f"),
    ]
    legend = alt.Legend(orient="top", title=None, symbolType="square")
    data = of_rows(rows)
    fills = data.mark_rect(cornerRadius=2).encode(
        x=x,
        y=y,
        color=alt.Color(
            "side:N", scale=alt.Scale(domain=sides, range=[SECOND, FIRST]), legend=legend
        ),
        opacity=alt.Opacity("strength:Q", scale=None),
        tooltip=tips,
    )
    texts = data.mark_text(fontSize=11).encode(x=x, y=y, text="text:N", tooltip=tips)
    wide = min(max(_WIDTH // len(exhibit.columns), _NARROWEST), _WIDEST)
    top = max(cells, key=lambda cell: abs(cell[2] - exhibit.level), default=None)
    told = f"Furthest from {level}: {top[0]}, {top[1]}: {number(top[2], 2)}." if top else ""
    return Figure(
        name=slug(exhibit.id),
        title=exhibit.title,
        caption=exhibit.caption or f"Colour is stronger the further a value is from {level}.",
        description=f"{exhibit.says} {told}".strip(),
        chart=alt.layer(fills, texts).properties(
            width=wide * len(exhibit.columns), height=_ROW * len(exhibit.rows)
        ),
    )
