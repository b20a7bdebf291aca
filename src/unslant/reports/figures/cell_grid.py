"""A grid of coloured cells with their numbers, such as a heat map or a matrix of correlations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.exhibits import Grid
from unslant.core.visible import visible
from unslant.core.wording import number
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import FIRST, SECOND
from unslant.reports.figures.values import FULL, of_rows, rounded, slug, tooltips

_SIGN = 20
"""The height of the row of signs."""

ChartRow = dict[str, Any]
"""A cell: ``strength`` is how opaque it is and ``side`` its colour; ``text`` is written on it."""


@dataclass(frozen=True, kw_only=True)
class CellGrid:
    """How cells are drawn.

    ``x`` and ``y`` are the fields that place a cell, ``tips`` those shown at the pointer with their
    titles. Cells whose field ``bold`` is true have a bold text, others one as opaque as ``faint``.
    ``outlines`` are field, value, colour and dashes of cells that are framed. ``width`` pixels are
    shared by the columns, each between ``narrowest`` and ``widest``.
    """

    x: str
    y: str
    tips: Mapping[str, str]
    bold: str
    outlines: Sequence[tuple[str, object, str, list[int]]]
    width: int
    narrowest: int
    widest: int
    row: int
    faint: float = 1.0

    def chart(
        self,
        rows: Sequence[ChartRow],
        across: Sequence[str],
        down: Sequence[str],
        sides: Sequence[str],
        *,
        has_legend: bool = True,
        signs: Mapping[str, str] | None = None,
        **axis: Any,
    ) -> Any:
        """The cells of these rows; ``axis`` is about the axis across.

        ``signs`` are drawn above the columns that they name, upright between cells and names.
        """
        import altair as alt

        # Domains are lists: a sort by text would become an expression with a user's words in it.
        bands = {"paddingInner": 0.05, "paddingOuter": 0}
        quiet = {"domain": False, "ticks": False, "title": None}
        x = alt.X(f"{self.x}:N", scale=alt.Scale(domain=list(across), **bands))
        x = x.axis(
            labelAngle=-35, labelLimit=150, labelPadding=_SIGN if signs else 4, **quiet, **axis
        )
        y = alt.Y(f"{self.y}:N", scale=alt.Scale(domain=list(down), **bands))
        y = y.axis(labelLimit=200, labelPadding=6, **quiet)
        place = {"x": x, "y": y, "tooltip": tooltips(self.tips)}
        legend = alt.Legend(orient="bottom", title=None, symbolType="square", symbolOpacity=FULL)
        colours = alt.Scale(domain=list(sides), range=[FIRST, SECOND][-len(sides) :])
        cells = alt.Chart().mark_rect(cornerRadius=2)
        fills = cells.transform_filter("datum.strength > 0").encode(
            color=alt.Color("side:N", scale=colours, legend=legend if has_legend else None),
            opacity=alt.Opacity("strength:Q", scale=None),
            **place,
        )
        frame = {"cornerRadius": 2, "fill": "transparent", "strokeWidth": 1.2}
        outlines = [
            alt.Chart()
            .mark_rect(**frame, stroke=ink, strokeDash=dash)
            .transform_filter(alt.FieldEqualPredicate(field=field, equal=value))
            .encode(**place)
            for field, value, ink, dash in self.outlines
            if any(row[field] == value for row in rows)
        ]
        texts = [
            alt.Chart()
            .mark_text(fontSize=11, fontWeight=weight, opacity=opacity)
            .transform_filter(alt.FieldEqualPredicate(field=self.bold, equal=is_bold))
            .encode(text="text:N", **place)
            for weight, opacity, is_bold in (("normal", self.faint, False), ("bold", 1.0, True))
        ]
        above = [
            of_rows({self.x: name, "sign": sign} for name, sign in (signs or {}).items())
            .mark_text(baseline="bottom", fontSize=12)
            .encode(x=x, y=alt.value(-4), text="sign:N")
        ] * bool(signs)
        wide = min(max(self.width // len(across), self.narrowest), self.widest)
        drawn = (fills, *outlines, *texts, *above)
        return alt.layer(*drawn, data=alt.Data(values=list(rows))).properties(
            width=wide * len(across), height=self.row * len(down)
        )


# A heat map of values by row and column, such as the heads of a model's layers.

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
