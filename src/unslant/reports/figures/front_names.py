"""The names of the points of a front: beside them, and not across the lines if that can be."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from unslant.reports.figures.front_points import Bounds, Spot
from unslant.reports.figures.labels import Box, Label, Point, box_of, placed
from unslant.reports.figures.values import rounded, shortened

WIDTH, HEIGHT = 560, 380
_RADIUS, _TEXT = 6, 11


@dataclass(frozen=True)
class Frame:
    """The plot: which values it shows, and where they lie in pixels from the upper left."""

    across: Bounds
    upwards: Bounds
    size: Point = (WIDTH, HEIGHT)

    def pixel(self, x: float, y: float) -> Point:
        """Where a value lies."""
        (left, right), (low, high) = self.across, self.upwards
        return (
            (x - left) / (right - left) * self.size[0],
            (high - y) / (high - low) * self.size[1],
        )

    def value(self, point: Point) -> Point:
        """The value that lies at a pixel."""
        (left, right), (low, high) = self.across, self.upwards
        return (
            rounded(left + point[0] / self.size[0] * (right - left)),
            rounded(high - point[1] / self.size[1] * (high - low)),
        )


def name_layers(
    found: Sequence[Spot],
    frame: Frame,
    corners: Sequence[Point],
    axes: tuple[Any, Any],
    has_bars: bool,
) -> list[Any]:
    """The names beside the points, as far as there is room; one layer for each alignment."""
    import altair as alt

    points = [frame.pixel(spot.x, spot.y) for spot in found]
    order = sorted(range(len(found)), key=lambda place: not found[place].is_best)
    texts: dict[int, str] = {}
    line = [_box(frame, a, b) for a, b in pairwise(corners)]
    bars = [_box(frame, *ends) for spot in found for ends in spot.ends] if has_bars else []
    labels: list[Label] = []
    # Half a name is better than none; only what is best may have one across the front.
    for taken, longest in (([*line, *bars], 34), (line, 34), (line, 16), ([], 16)):
        done = {label.place for label in labels}
        full = [box_of(points[label.place], label, texts[label.place], _TEXT) for label in labels]
        left = {
            p: shortened(found[p].name, longest)
            for p in order
            if p not in done and (taken or found[p].is_best)
        }
        texts |= left
        labels += placed(
            points, left, frame.size, size=_TEXT, radius=_RADIUS, taken=[*taken, *full]
        )

    def row(label: Label) -> dict[str, Any]:
        px, py = points[label.place]
        at_x, at_y = frame.value((px + label.dx, py + label.dy))
        return {"x": at_x, "y": at_y, "name": texts[label.place]}

    return [
        alt.Chart(alt.Data(values=[row(label) for label in labels if label.align == align]))
        .mark_text(align=align, baseline="middle", fontSize=_TEXT)
        .encode(x=axes[0], y=axes[1], text="name:N")
        for align in dict.fromkeys(label.align for label in labels)
    ]


def _box(frame: Frame, one: Point, other: Point) -> Box:
    (x1, y1), (x2, y2) = frame.pixel(*one), frame.pixel(*other)
    return min(x1, x2) - 1, min(y1, y2) - 1, max(x1, x2) + 1, max(y1, y2) + 1
