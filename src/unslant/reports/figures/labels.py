"""Labels that cover neither each other, nor a point, nor the edge of the plot.

The most important text is placed first, at the first free position around its point; a text that
finds no room is left out, and the reader finds it by hovering.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels from the upper left corner."""

_NARROW, _WIDE = frozenset("fijlrtI'|!.,:;()[] -"), frozenset("mwMW@%—…")
_CELL = 48.0
_GAP = 2.0
_HALF = 0.47

# Right and left first: a label next to its point is easiest to read.
_AROUND = ((1, 0), (-1, 0), (1, -1), (1, 1), (-1, -1), (-1, 1), (0, -1), (0, 1))
_SLIDES = (-0.25, 0.25)
_ALIGN = {1: "left", 0: "center", -1: "right"}


@dataclass(frozen=True)
class Label:
    """A label next to the point at ``place``; ``dx`` and ``dy`` lead to the middle of its side."""

    place: int
    dx: float
    dy: float
    align: str


def text_width(text: str, size: float) -> float:
    """About the width of a text in pixels, rather too much than too little."""
    return size * sum(map(_share_of_size, text))


def box_of(point: Point, label: Label, text: str, size: float) -> Box:
    """The room that a text takes at its place."""
    width, half = text_width(text, size), size * _HALF
    x, y = point[0] + label.dx, point[1] + label.dy
    left = x - {"left": 0.0, "center": width / 2, "right": width}[label.align]
    return left, y - half, left + width, y + half


def placed(
    points: Sequence[Point],
    texts: Mapping[int, str],
    frame: Point,
    *,
    size: float = 11,
    radius: float = 4,
    most: int = 40,
    taken: Iterable[Box] = (),
) -> list[Label]:
    """Labels for at most ``most`` of the texts, which are in order of importance.

    ``texts`` is keyed by the place of its point, ``frame`` the width and the height of the plot,
    ``radius`` the half width of a mark, and ``taken`` what else is drawn there.
    """
    full = _Room(taken)
    for x, y in points:
        full.add((x - radius, y - radius, x + radius, y + radius))
    done: list[Label] = []
    for place, text in texts.items():
        if len(done) == most:
            break
        for label in _around(place, radius, size, text_width(text, size)):
            box = box_of(points[place], label, text, size)
            if _is_inside(box, frame) and full.is_free(box):
                full.add(box)
                done.append(label)
                break
    return done


class _Room:
    """Boxes by the cells that they touch, so that few have to be compared."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self._cells: dict[tuple[int, int], list[Box]] = defaultdict(list)
        for box in boxes:
            self.add(box)

    def add(self, box: Box) -> None:
        for cell in _cells(box):
            self._cells[cell].append(box)

    def is_free(self, box: Box) -> bool:
        return not any(
            overlap(box, other) for cell in _cells(box) for other in self._cells.get(cell, ())
        )


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share more than an edge."""
    return (
        one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
    )  # fmt: skip


def _cells(box: Box) -> Iterator[tuple[int, int]]:
    for column in range(int(box[0] // _CELL), int(box[2] // _CELL) + 1):
        for row in range(int(box[1] // _CELL), int(box[3] // _CELL) + 1):
            yield column, row


def _around(place: int, radius: float, size: float, width: float) -> Iterator[Label]:
    for right, down in _AROUND:
        # Above and below, half the text has to clear the mark too; on a corner, a part of it.
        sideways = radius + _GAP if not down else radius * 0.5
        upright = (radius + _GAP if not right else radius * 0.7) + size * _HALF
        yield Label(place, right * sideways, down * upright, _ALIGN[right])
    for slide in _SLIDES:
        for down in (-1, 1):
            yield Label(place, slide * width, down * (radius + _GAP + size * _HALF), "center")


def _is_inside(box: Box, frame: Point) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= frame[0] and box[3] <= frame[1]


def _share_of_size(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    if character in _WIDE:
        return 0.95
    if character in _NARROW:
        return 0.36
    return 0.72 if character.isupper() else 0.58
