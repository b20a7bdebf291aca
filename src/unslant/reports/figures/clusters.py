"""The words that leaned most, in a plane, with the two clusters that they fall into."""

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from math import dist
from typing import Any

from unslant.reports.figures.figure import Figure
from unslant.reports.figures.labels import Point, placed
from unslant.reports.figures.panels import Panel, Record, panels, warning
from unslant.reports.figures.plane import Plane
from unslant.reports.figures.rows import of_rows
from unslant.reports.figures.theme import FIRST, SECOND
from unslant.reports.figures.values import rounded, shortened, shown
from unslant.reports.words import number, of_metric

_ALONE, _BESIDE = 460, 300
_LABELS = {_ALONE: 16, _BESIDE: 10}
_CANDIDATES = 60

_FIRST, _SECOND = "one (filled)", "other (hollow)"

Row = dict[str, Any]


def clusters(record: Record) -> Figure | None:
    """The first clustering of a record, before and after where both are there."""
    for item in of_metric(record, "clustering"):
        both = [panel for panel in panels(record, item) if "x" in panel.measurement["points"][0]]
        if both:
            return _figure(record, both)
    return None


def _figure(record: Record, both: Sequence[Panel]) -> Figure:
    import altair as alt

    sides = list(dict.fromkeys(shown(p["side"]) for p in both[0].measurement["points"]))
    edge = _ALONE if len(both) == 1 else _BESIDE
    points = [point for panel in both for point in panel.measurement["points"]]
    plane = Plane.around((point[axis] for point in points for axis in "xy"), edge, 0.06)
    charts = [_chart(panel, plane, sides, is_left=n == 0) for n, panel in enumerate(both)]
    concept = shortened(record["concept"]["name"])
    return Figure(
        name="clusters",
        title=f"Words that leaned most by {concept}, and their clusters",
        caption=_caption(both),
        description=" ".join(_told(panel, sides) for panel in both),
        chart=alt.hconcat(*charts, spacing=24) if len(charts) > 1 else charts[0],
    )


def _chart(panel: Panel, plane: Plane, sides: Sequence[str], *, is_left: bool) -> Any:
    import altair as alt

    points = panel.measurement["points"]
    filled = _cluster_of(points, sides[0])
    rows: list[Row] = [
        {
            "word": shown(point["word"]),
            "x": rounded(point["x"]),
            "y": rounded(point["y"]),
            "side": shown(point["side"]),
            "cluster": _FIRST if str(point["cluster"]) == filled else _SECOND,
            "lean": rounded(point["projection"]),
        }
        for point in points
    ]
    pixels = [plane.pixel(row["x"], row["y"]) for row in rows]
    texts = {place: shortened(rows[place]["word"], 18) for place in _outermost(rows, pixels)}
    frame = (plane.edge, plane.edge)
    labels = placed(pixels, texts, frame, radius=3, most=_LABELS[plane.edge])
    x, y = plane.axes("first principal axis", "second principal axis" if is_left else None)
    look = alt.Scale(domain=list(sides), range=[FIRST, SECOND])
    title = "filled and hollow: the two clusters  ·  leaned to"
    legend = alt.Legend(orient="top", titleOrient="left", titleLimit=400, labelLimit=240)
    dots = (
        of_rows(rows)
        .mark_point(filled=False, size=20, strokeWidth=1.2, opacity=0.95, aria=False)
        .encode(
            stroke=alt.Stroke("side:N", title=title, scale=look, legend=legend),
            fill=alt.Fill("side:N", title=title, scale=look, legend=legend),
            shape=alt.Shape(
                "side:N",
                title=title,
                scale=alt.Scale(domain=list(sides), range=["triangle-up", "circle"]),
                legend=legend,
            ),
            fillOpacity=alt.FillOpacity(
                "cluster:O",
                scale=alt.Scale(domain=[_FIRST, _SECOND], range=[1, 0]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("word:N", title="word"),
                alt.Tooltip("side:N", title="leaned to"),
                alt.Tooltip("lean:Q", title="lean before", format="+.3f"),
                alt.Tooltip("cluster:N", title="cluster"),
            ],
        )
    )
    layers = [dots, *plane.words(labels, texts, pixels)]
    details = panel.measurement["details"]
    facts = f"accuracy {number(panel.measurement['value'], 2)}"
    if details.get("V-measure") is not None:
        facts += f", V-measure {number(details['V-measure'], 2)}"
    heading = alt.TitleParams(
        panel.heading, subtitle=facts, fontSize=12, fontWeight="normal", anchor="middle"
    )
    return alt.layer(*(layer.encode(x=x, y=y) for layer in layers)).properties(
        width=plane.edge, height=plane.edge, title=heading
    )


def _cluster_of(points: Sequence[Record], side: str) -> str:
    """The cluster that most words of a side are in, whatever number k-means gave it."""
    counted = Counter(str(point["cluster"]) for point in points if shown(point["side"]) == side)
    return counted.most_common(1)[0][0]


def _outermost(rows: Sequence[Row], pixels: Sequence[Point]) -> list[int]:
    """The words furthest from the middle of all, where there is room, by turns of both sides."""
    middle = [sum(point[axis] for point in pixels) / len(pixels) for axis in (0, 1)]
    far = sorted(range(len(rows)), key=lambda place: -dist(pixels[place], middle))
    sides: dict[str, list[int]] = {}
    for place in far:
        sides.setdefault(rows[place]["side"], []).append(place)
    turns = zip_longest(*(places[:_CANDIDATES] for places in sides.values()))
    return [place for turn in turns for place in turn if place is not None]


def _caption(both: Sequence[Panel]) -> str:
    is_pair = len(both) > 1
    unlike = warning(both[1].measurement, both[0].measurement) if is_pair else ""
    return (
        "Colour and shape show to which side a word leaned"
        f"{' before' if is_pair else ''}, filled and hollow marks the two clusters that k-means "
        "finds in all dimensions. Accuracy is how well the clusters match the sides, from 0.5 "
        "(not at all) to 1. Each plot shows the two principal axes of its own vectors, on the same "
        "scale. A few words are named, the others appear when pointed at. Words that leaned most "
        f"may also cluster by topic.{unlike}"
    )


def _told(panel: Panel, sides: Sequence[str]) -> str:
    points = panel.measurement["points"]
    first = _cluster_of(points, sides[0])
    counted = Counter((shown(point["side"]), str(point["cluster"]) == first) for point in points)
    split = "; ".join(
        f"of those that leaned to {side}, {counted[side, True]} are in one cluster and "
        f"{counted[side, False]} in the other"
        for side in sides
    )
    value = number(panel.measurement["value"], 2)
    return f"{panel.heading}: {len(points)} words, accuracy {value}; {split}."
