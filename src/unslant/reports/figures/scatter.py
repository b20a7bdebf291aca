"""How close neutral words are to each of two sides, with the diagonal of those close to both."""

from collections.abc import Sequence
from typing import Any

from unslant.reports.figures import diagonal
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.labels import Box, Label, box_of, placed
from unslant.reports.figures.panels import Panel, Record, panels
from unslant.reports.figures.plane import TEXT_SIZE, Plane, texts_at
from unslant.reports.figures.rows import of_rows
from unslant.reports.figures.scatter_words import NEITHER, SMALLEST, Row, Sides, caption, told
from unslant.reports.figures.theme import FIRST, QUIET, SECOND
from unslant.reports.figures.values import capital, rounded, shortened, shown, slug
from unslant.reports.words import leans, number

_ALONE, _BESIDE = 460, 292
_LABELS = {_ALONE: 44, _BESIDE: 26}
_CANDIDATES = 160
_MANY = 400


def scatter(record: Record) -> tuple[Figure, ...]:
    """One figure for each list of neutral words that was measured; none for older records."""
    found = [(item, _panels(record, item)) for item in leans(record)]
    return tuple(_figure(record, item, both) for item, both in found if both)


def _panels(record: Record, item: Record) -> list[Panel]:
    """Before and after, where the measurement has the points."""
    found = panels(record, item)
    return [panel for panel in found if "first cosine" in panel.measurement["points"][0]]


def _figure(record: Record, item: Record, both: Sequence[Panel]) -> Figure:
    import altair as alt

    name = shown(item["parameters"].get("neutral") or item["words"][0]["set"])
    details = both[0].measurement["details"]
    sides = shown(details["first side"]), shown(details["second side"])
    parts = _rows([panel.measurement["points"] for panel in both], sides)
    everything = [row for part in parts for row in part]
    edge = _ALONE if len(both) == 1 else _BESIDE
    plane = Plane.around((row[axis] for row in everything for axis in "xy"), edge)
    kinds = [side for side in (*sides, NEITHER) if any(r["side"] == side for r in everything)]
    charts = [
        _chart(part, plane, sides, kinds, panel.heading, is_left=place == 0, is_pair=len(both) > 1)
        for place, (panel, part) in enumerate(zip(both, parts, strict=True))
    ]
    quoted = [f"“{shortened(side)}”" for side in sides]
    return Figure(
        name=f"scatter-{slug(name)}",
        title=f"{capital(shortened(name))}: closeness to {quoted[0]} and {quoted[1]}",
        caption=caption(record, both, sides),
        description=" ".join(told(p, part, sides) for p, part in zip(both, parts, strict=True)),
        chart=alt.hconcat(*charts, spacing=24) if len(charts) > 1 else charts[0],
    )


def _rows(parts: Sequence[Sequence[Record]], sides: Sides) -> list[list[Row]]:
    """The points of each panel; a word keeps the side that it was on in the first."""
    known: dict[str, str] = {}
    # What users named is data, never a part of the drawing's own names.
    names = [shortened(side) for side in sides]
    done = []
    for part in parts:
        rows = []
        for point in part:
            gap = point["first cosine"] - point["second cosine"]
            side = NEITHER if abs(gap) < SMALLEST else sides[0] if gap > 0 else sides[1]
            rows.append(
                {
                    "word": shown(point["word"]),
                    "x": rounded(point["second cosine"]),
                    "y": rounded(point["first cosine"]),
                    "gap": rounded(gap),
                    "first": f"{number(point['first cosine'])} with {names[0]}",
                    "second": f"{number(point['second cosine'])} with {names[1]}",
                    "side": known.setdefault(point["word"], side),
                }
            )
        done.append(rows)
    return done


def _chart(
    rows: Sequence[Row],
    plane: Plane,
    sides: Sides,
    kinds: Sequence[str],
    heading: str,
    *,
    is_left: bool,
    is_pair: bool,
) -> Any:
    import altair as alt

    radius = 3.6 if len(rows) <= _MANY else 2.4
    pixels = [plane.pixel(row["x"], row["y"]) for row in rows]
    line, corners = diagonal.naming(pixels, plane.edge), _corners(plane, sides)
    far = sorted(range(len(rows)), key=lambda place: -abs(rows[place]["gap"]))[:_CANDIDATES]
    texts = {
        place: shortened(rows[place]["word"], 20)
        for place in far
        if abs(rows[place]["gap"]) >= SMALLEST
    }
    labels = placed(
        pixels,
        texts,
        (plane.edge, plane.edge),
        radius=radius,
        most=_LABELS[plane.edge],
        taken=(*line.boxes, *diagonal.line_boxes(plane.edge), *(box for _, box in corners)),
    )
    upwards = f"mean cosine with “{shortened(sides[0])}”" if is_left else None
    x, y = plane.axes(f"mean cosine with “{shortened(sides[1])}”", upwards)
    to = "closer before to" if is_pair else "closer to"
    look = {sides[0]: (FIRST, "triangle-up"), sides[1]: (SECOND, "circle")}
    looks = [look.get(kind, (QUIET, "square")) for kind in kinds]
    colours = alt.Scale(domain=list(kinds), range=[colour for colour, _ in looks])
    shapes = alt.Scale(domain=list(kinds), range=[shape for _, shape in looks])
    dots = (
        of_rows(rows)
        .mark_point(filled=True, size=round(3.4 * radius**2), opacity=0.95, aria=False)
        .encode(
            color=alt.Color(
                "side:N",
                title=to,
                scale=colours,
                legend=alt.Legend(orient="top", titleOrient="left", labelLimit=240),
            ),
            shape=alt.Shape("side:N", title=to, scale=shapes),
            tooltip=[
                alt.Tooltip("word:N", title="word"),
                alt.Tooltip("first:N", title="mean cosine upwards"),
                alt.Tooltip("second:N", title="mean cosine across"),
                alt.Tooltip("gap:Q", title="difference", format="+.3f"),
                alt.Tooltip("side:N", title=to),
            ],
        )
    )
    ends = [{"x": value, "y": value} for value in (plane.low, plane.high)]
    neutral = of_rows(ends).mark_line(strokeDash=[5, 4], color=QUIET, aria=False)
    above = [
        neutral,
        dots,
        texts_at([plane.text(line.middle, diagonal.TEXT)], angle=315, opacity=0.75),
        *(layer for layer, _ in corners),
        *plane.words(labels, texts, pixels),
    ]
    return alt.layer(*(layer.encode(x=x, y=y) for layer in above)).properties(
        width=plane.edge, height=plane.edge, title=_heading(heading)
    )


def _heading(text: str) -> Any:
    import altair as alt

    return alt.TitleParams(text, fontSize=12, fontWeight="normal", anchor="middle")


def _corners(plane: Plane, sides: Sides) -> list[tuple[Any, Box]]:
    """The names of the two halves of the plot, with the room that they take."""
    end, done = plane.edge - 6.0, []
    for side, corner, align in (
        (sides[0], (6.0, 10.0), "left"),
        (sides[1], (end, end - 4), "right"),
    ):
        text = f"closer to “{shortened(side, 20)}”"
        box = box_of(corner, Label(0, 0.0, 0.0, align), text, TEXT_SIZE + 1)
        rows = [plane.text(corner, text)]
        done.append((texts_at(rows, align=align, opacity=0.75, fontStyle="italic"), box))
    return done
