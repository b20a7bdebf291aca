"""Points in a plane: between two sides, by group, or by group and cluster."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import dist
from typing import Any

from unslant.core.wording import counted, number, span
from unslant.reports.figures.figure import Cloud, Figure, Panel
from unslant.reports.figures.labels import Box, Label, Point, box_of, placed, text_width
from unslant.reports.figures.theme import CATEGORIES, QUIET
from unslant.reports.figures.values import of_rows, rounded, shortened

# A plot of fixed size: its values in pixels, and its labels.

TEXT_SIZE = 11
Range = tuple[float, float]


@dataclass(frozen=True)
class Plane:
    """A plot of ``size`` pixels that shows a range of values across and one upwards."""

    across: Range
    upwards: Range
    size: tuple[int, int]

    @classmethod
    def around(
        cls, places: Iterable[Point], edge: int, margin: float, *, is_alike: bool
    ) -> "Plane":
        """A square with room for all places; both axes have the same range if ``is_alike``."""
        xs, ys = zip(*places, strict=True)
        if is_alike:
            xs = ys = (*xs, *ys)
        return cls(_range(xs, margin), _range(ys, margin), (edge, edge))

    def pixel(self, x: float, y: float) -> Point:
        """The position of a value, in pixels from the upper left corner."""
        (left, right), (low, high) = self.across, self.upwards
        width, height = self.size
        return (x - left) * width / (right - left), (high - y) * height / (high - low)

    def value(self, point: Point) -> Point:
        """The value that lies at a pixel."""
        (left, right), (low, high) = self.across, self.upwards
        x, y = point[0] / self.size[0], point[1] / self.size[1]
        return rounded(left + x * (right - left)), rounded(high - y * (high - low))

    def axes(self, across: str | None, upwards: str | None) -> tuple[Any, Any]:
        """Both axes with their titles, for every layer of the plot alike."""
        import altair as alt

        axis = alt.Axis(tickCount=5, format=".2~f")
        x, y = (
            alt.Scale(domain=list(span), nice=False, zero=False)
            for span in (self.across, self.upwards)
        )
        return (
            alt.X("x:Q", scale=x, title=across, axis=axis),
            alt.Y("y:Q", scale=y, title=upwards, axis=axis),
        )

    def words(
        self, labels: Sequence[Label], texts: Mapping[int, str], points: Sequence[Point]
    ) -> list[Any]:
        """Layers of labels, one for each alignment, which is no property of data."""
        layers = []
        for align in dict.fromkeys(label.align for label in labels):
            rows = []
            for label in labels:
                if label.align == align:
                    px, py = points[label.place]
                    rows.append(self.text((px + label.dx, py + label.dy), texts[label.place]))
            layers.append(texts_at(rows, align=align))
        return layers

    def text(self, point: Point, word: str) -> dict[str, Any]:
        """A text at a pixel, as a row of data."""
        x, y = self.value(point)
        return {"x": x, "y": y, "word": word}


def texts_at(rows: Sequence[Mapping[str, Any]], **mark: Any) -> Any:
    """A layer of texts, to be given the axes of its plot."""
    import altair as alt

    style = {"fontSize": TEXT_SIZE, "baseline": "middle", "aria": False, **mark}
    return of_rows(rows).mark_text(**style).encode(text=alt.Text("word:N"))


def _range(values: Sequence[float], margin: float) -> Range:
    """From the least value to the greatest, with a margin that is a share of their distance."""
    low, high = min(values), max(values)
    rest = max(high - low, 0.02) * margin
    return low - rest, high + rest


# The line of points that are equally close to both sides, its name, and the names of the sides.

_NAME = "equally close"

_OFF = 9.0
_STEP = 7.0
_MARK = 4.0
_LINE = 4.0

Layers = list[Any]


def diagonal(
    plane: Plane, pixels: Sequence[Point], ends: tuple[str, str]
) -> tuple[Layers, Layers, list[Box]]:
    """The layers below and above the points, and the space they need."""
    line = of_rows([{"x": value, "y": value} for value in plane.across])
    middle, taken = _naming(pixels, plane.size[0])
    above = [texts_at([plane.text(middle, _NAME)], angle=315, opacity=0.75)]
    taken = [*taken, *_line_boxes(plane.size[0])]
    end = plane.size[0] - 6.0
    for side, corner, align in ((0, (6.0, 10.0), "left"), (1, (end, end - 4), "right")):
        text = f"closer to “{shortened(ends[side], 20)}”"
        rows = [plane.text(corner, text)]
        above.append(texts_at(rows, align=align, opacity=0.75, fontStyle="italic"))
        taken.append(box_of(corner, Label(0, 0.0, 0.0, align), text, TEXT_SIZE + 1))
    return [line.mark_line(strokeDash=[5, 4], color=QUIET, aria=False)], above, taken


def _naming(points: Sequence[Point], edge: float) -> tuple[Point, list[Box]]:
    """The position along the diagonal where its label covers the fewest points."""
    half = text_width(_NAME, TEXT_SIZE) / 2 * 0.71
    along = [half + 8 + (edge - 2 * half - 16) * step / 12 for step in range(13)]
    places = [_at(t, side, half, edge) for side in (1, -1) for t in reversed(along)]
    return min(places, key=lambda place: sum(_is_covered(point, place[1]) for point in points))


def _line_boxes(edge: float) -> list[Box]:
    """The line itself as a chain of small boxes, which labels keep off."""
    steps = range(int(edge // _LINE) + 1)
    return [(t * _LINE, edge - (t + 1) * _LINE, (t + 1) * _LINE, edge - t * _LINE) for t in steps]


def _is_covered(point: Point, boxes: Sequence[Box]) -> bool:
    x, y = point
    return any(
        left - _MARK < x < right + _MARK and top - _MARK < y < bottom + _MARK
        for left, top, right, bottom in boxes
    )


def _at(t: float, side: int, half: float, edge: float) -> tuple[Point, list[Box]]:
    off = side * _OFF * 0.71
    middle = (t - off, edge - t - off)
    steps = int(half // _STEP) + 1
    boxes = []
    for step in range(-steps, steps + 1):
        x, y = middle[0] + step * half / steps, middle[1] - step * half / steps
        boxes.append((x - _STEP, y - _STEP, x + _STEP, y + _STEP))
    return middle, boxes


NEITHER = "neither"
SMALLEST = 5e-5
"""Differences below this are rounding, as after both sides were made equal."""

_ALONE, _BESIDE = 460, 292
_LABELS = {_ALONE: 44, _BESIDE: 26}
_FEW_LABELS = {_ALONE: 16, _BESIDE: 10}
_CANDIDATES, _CANDIDATES_A_GROUP = 160, 60
_MANY = 400
_SHAPES = ("triangle-up", "circle", "square", "diamond", "cross", "triangle-down")
_FILLED, _HOLLOW = "one (filled)", "other (hollow)"

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class _Look:
    """The legend: its title, and its entries with colour and shape."""

    title: str
    kinds: Mapping[str, tuple[str, str]]


def plane(cloud: Cloud) -> Figure:
    """The points of each panel in a plane, all panels on one scale."""
    import altair as alt

    parts = list(_rows(cloud))
    look = _look(cloud, parts)
    edge = _ALONE if len(parts) == 1 else _BESIDE
    places = [(row["x"], row["y"]) for part in parts for row in part]
    is_alike = cloud.ends is not None or any(panel.clusters for panel in cloud.panels)
    frame = Plane.around(places, edge, 0.1 if cloud.ends else 0.06, is_alike=is_alike)
    charts = [
        _chart(cloud, panel, part, frame, look, is_left=place % 2 == 0)
        for place, (panel, part) in enumerate(zip(cloud.panels, parts, strict=True))
    ]
    told = [
        _description(cloud, panel, part) for panel, part in zip(cloud.panels, parts, strict=True)
    ]
    return Figure(
        name=cloud.name,
        title=cloud.title,
        caption=cloud.caption,
        description=" ".join(told),
        chart=alt.concat(*charts, columns=2, spacing=24) if len(charts) > 1 else charts[0],
    )


def _rows(cloud: Cloud) -> Iterator[list[Row]]:
    """The points of each panel; between two sides an item keeps the side that it was first on."""
    known: dict[str, str] = {}
    for panel in cloud.panels:
        filled = _filled_cluster(panel)
        rows: list[Row] = []
        for place, point in enumerate(panel.points):
            x, y = point.x, point.y or 0.0
            row: Row = {"word": point.label, "x": rounded(x), "y": rounded(y), "side": point.group}
            row |= {"first": number(y), "second": number(x)}
            if cloud.ends:
                row["gap"] = rounded(y - x)
                row["side"] = known.setdefault(point.label, _side(y - x, cloud.ends))
            if panel.clusters:
                row["cluster"] = _FILLED if panel.clusters[place] == filled else _HOLLOW
            rows.append(row)
        yield rows


def _side(gap: float, ends: tuple[str, str]) -> str:
    return NEITHER if abs(gap) < SMALLEST else ends[0] if gap > 0 else ends[1]


def _look(cloud: Cloud, parts: Sequence[Sequence[Row]]) -> _Look:
    there = dict.fromkeys(row["side"] for part in parts for row in part)
    kinds = {
        side: (CATEGORIES[place % len(CATEGORIES)], _SHAPES[place % len(_SHAPES)])
        for place, side in enumerate(cloud.ends or there)
    }
    if cloud.ends:
        kinds[NEITHER] = (QUIET, "square")
        title = "closer before to" if cloud.is_compared else "closer to"
    else:
        title = cloud.group
    return _Look(title, {side: look for side, look in kinds.items() if side in there})


def _chart(
    cloud: Cloud, panel: Panel, rows: Sequence[Row], frame: Plane, look: _Look, *, is_left: bool
) -> Any:
    import altair as alt

    pixels = [frame.pixel(row["x"], row["y"]) for row in rows]
    below: list[Any] = []
    above: list[Any] = []
    taken: list[Box] = []
    if cloud.ends:
        below, above, taken = diagonal(frame, pixels, cloud.ends)
        order = sorted(range(len(rows)), key=lambda place: -abs(rows[place]["gap"]))[:_CANDIDATES]
        order = [place for place in order if abs(rows[place]["gap"]) >= SMALLEST]
        radius, most = 3.6 if len(rows) <= _MANY else 2.4, _LABELS[frame.size[0]]
    else:
        order = _outermost(rows, pixels)
        radius, most = 3.0, _FEW_LABELS[frame.size[0]]
    texts = {place: shortened(rows[place]["word"], 20) for place in order}
    labels = placed(pixels, texts, frame.size, radius=radius, most=most, taken=taken)
    x, y = frame.axes(cloud.x, cloud.y if is_left else None)
    layers = [*below, _dots(cloud, rows, radius, look), *above, *frame.words(labels, texts, pixels)]
    title = alt.TitleParams(
        panel.heading, subtitle=panel.facts, fontSize=12, fontWeight="normal", anchor="middle"
    )
    return alt.layer(*(layer.encode(x=x, y=y) for layer in layers)).properties(
        width=frame.size[0], height=frame.size[1], title=title
    )


def _dots(cloud: Cloud, rows: Sequence[Row], radius: float, look: _Look) -> Any:
    import altair as alt

    kinds = list(look.kinds)
    ink = alt.Scale(domain=kinds, range=[colour for colour, _ in look.kinds.values()])
    form = alt.Scale(domain=kinds, range=[shape for _, shape in look.kinds.values()])
    legend = alt.Legend(orient="top", titleOrient="left", titleLimit=400, labelLimit=240)
    is_clustered = "cluster" in rows[0]
    title = f"filled and hollow: the two clusters  ·  {look.title}" if is_clustered else look.title
    key = {"title": title, "legend": legend if kinds != [""] else None}
    tips = [alt.Tooltip("word:N", title="item"), alt.Tooltip("first:N", title=cloud.y)]
    tips.append(alt.Tooltip("second:N", title=cloud.x))
    if cloud.ends:
        tips.append(alt.Tooltip("gap:Q", title="difference", format="+.3f"))
    tips.append(alt.Tooltip("side:N", title=look.title))
    encoded = {"shape": alt.Shape("side:N", scale=form, **key)}
    base = of_rows(rows)
    if not is_clustered:
        dots = base.mark_point(filled=True, size=round(3.4 * radius**2), opacity=0.95, aria=False)
        encoded["color"] = alt.Color("side:N", scale=ink, **key)
        return dots.encode(**encoded, tooltip=tips)
    fill = alt.Scale(domain=[_FILLED, _HOLLOW], range=[1, 0])
    dots = base.mark_point(filled=False, size=20, strokeWidth=1.2, opacity=0.95, aria=False)
    return dots.encode(
        **encoded,
        stroke=alt.Stroke("side:N", scale=ink, **key),
        fill=alt.Fill("side:N", scale=ink, **key),
        fillOpacity=alt.FillOpacity("cluster:O", scale=fill, legend=None),
        tooltip=[*tips, alt.Tooltip("cluster:N", title="cluster")],
    )


def _filled_cluster(panel: Panel) -> str:
    """The cluster with most items of the first group; cluster numbers are arbitrary."""
    if not panel.clusters:
        return ""
    first = panel.points[0].group
    found = zip(panel.clusters, panel.points, strict=True)
    return Counter(cluster for cluster, point in found if point.group == first).most_common(1)[0][0]


def _outermost(rows: Sequence[Row], pixels: Sequence[Point]) -> list[int]:
    """The items furthest from the middle of all, by turns of the groups."""
    middle = [sum(point[axis] for point in pixels) / len(pixels) for axis in (0, 1)]
    far = sorted(range(len(rows)), key=lambda place: -dist(pixels[place], middle))
    sides: dict[str, list[int]] = {}
    for place in far:
        sides.setdefault(rows[place]["side"], []).append(place)
    turns = zip_longest(*(places[:_CANDIDATES_A_GROUP] for places in sides.values()))
    return [place for turn in turns for place in turn if place is not None]


def _description(cloud: Cloud, panel: Panel, rows: Sequence[Row]) -> str:
    """A description of a panel, for screen readers."""
    lead = f"{panel.heading}: " if panel.heading else ""
    text = f"{lead}{counted(len(rows), 'point')}"
    if cloud.ends:
        return f"{text}, {_told_sides(rows, cloud.ends)}."
    if panel.facts:
        text += f", {panel.facts}"
    groups = dict.fromkeys(row["side"] for row in rows if row["side"])
    if panel.clusters:
        count = Counter((row["side"], row["cluster"]) for row in rows)
        split = [
            f"; {group}: {count[group, _FILLED]} in one cluster, {count[group, _HOLLOW]} in another"
            for group in groups
        ]
        return f"{text}{''.join(split)}."
    sizes = Counter(row["side"] for row in rows)
    said = "".join(f", {sizes[group]} in {group}" for group in groups)
    xs, ys = ([row[axis] for row in rows] for axis in "xy")
    spans = (f"from {span(min(of), max(of))}" for of in (xs, ys))
    return f"{text}{said}; {cloud.x} {next(spans)}, {cloud.y} {next(spans)}."


def _told_sides(rows: Sequence[Row], ends: tuple[str, str]) -> str:
    count = Counter(_side(row["gap"], ends) for row in rows)
    order = sorted(rows, key=lambda row: row["gap"])
    most = [
        (side, [row["word"] for row in part if sign * row["gap"] >= SMALLEST])
        for side, part, sign in ((ends[0], order[:-4:-1], 1), (ends[1], order[:3], -1))
    ]
    said = ", ".join(f"{count[side]} closer to {side}" for side in ends)
    said += f", {count[NEITHER]} to neither" if count[NEITHER] else ""
    return said + "".join(
        f"; closest to {side}: {', '.join(words)}" for side, words in most if words
    )
