"""The line of words that are equally close to both sides, and its name where there is room."""

from collections.abc import Sequence
from dataclasses import dataclass

from unslant.reports.figures.labels import Box, Point, text_width
from unslant.reports.figures.plane import TEXT_SIZE

TEXT = "equally close"

_OFF = 9.0
_STEP = 7.0
_MARK = 4.0
_LINE = 4.0


@dataclass(frozen=True)
class Naming:
    """The middle of the line's name, in pixels, and the boxes that it takes."""

    middle: Point
    boxes: tuple[Box, ...]


def naming(points: Sequence[Point], edge: float) -> Naming:
    """Where along the diagonal the fewest points are covered, above it or below."""
    half = text_width(TEXT, TEXT_SIZE) / 2 * 0.71
    along = [half + 8 + (edge - 2 * half - 16) * step / 12 for step in range(13)]
    places = [_at(t, side, half, edge) for side in (1, -1) for t in reversed(along)]
    return min(places, key=lambda place: sum(_is_covered(point, place.boxes) for point in points))


def line_boxes(edge: float) -> list[Box]:
    """The line itself as a chain of small boxes, which labels keep off."""
    steps = range(int(edge // _LINE) + 1)
    return [(t * _LINE, edge - (t + 1) * _LINE, (t + 1) * _LINE, edge - t * _LINE) for t in steps]


def _is_covered(point: Point, boxes: tuple[Box, ...]) -> bool:
    x, y = point
    return any(
        left - _MARK < x < right + _MARK and top - _MARK < y < bottom + _MARK
        for left, top, right, bottom in boxes
    )


def _at(t: float, side: int, half: float, edge: float) -> Naming:
    off = side * _OFF * 0.71
    middle = (t - off, edge - t - off)
    steps = int(half // _STEP) + 1
    boxes = []
    for step in range(-steps, steps + 1):
        x, y = middle[0] + step * half / steps, middle[1] - step * half / steps
        boxes.append((x - _STEP, y - _STEP, x + _STEP, y + _STEP))
    return Naming(middle, tuple(boxes))
