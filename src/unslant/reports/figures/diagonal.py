"""The line of points that are equally close to both sides, its name, and the names of the sides."""

from collections.abc import Sequence
from typing import Any

from unslant.reports.figures.labels import Box, Label, Point, box_of, text_width
from unslant.reports.figures.plane import TEXT_SIZE, Plane, texts_at
from unslant.reports.figures.theme import QUIET
from unslant.reports.figures.values import of_rows, shortened

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
