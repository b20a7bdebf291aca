"""A plot of fixed size: its values in pixels, and its labels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.reports.figures.labels import Label, Point
from unslant.reports.figures.values import of_rows, rounded

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
