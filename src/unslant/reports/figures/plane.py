"""A plot of fixed size: where its values lie in pixels, and the texts that stand on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.reports.figures.labels import Label, Point
from unslant.reports.figures.rows import of_rows
from unslant.reports.figures.values import rounded

TEXT_SIZE = 11


@dataclass(frozen=True)
class Plane:
    """A square of ``edge`` pixels that shows the same range of values across and upwards."""

    low: float
    high: float
    edge: int

    @classmethod
    def around(cls, values: Iterable[float], edge: int, margin: float = 0.1) -> "Plane":
        """A plane with room for all values and a margin, which is a share of their range."""
        kept = list(values)
        low, high = min(kept), max(kept)
        rest = max(high - low, 0.02) * margin
        return cls(low - rest, high + rest, edge)

    def pixel(self, x: float, y: float) -> Point:
        """Where a value lies, in pixels from the upper left corner."""
        scale = self.edge / (self.high - self.low)
        return (x - self.low) * scale, (self.high - y) * scale

    def value(self, point: Point) -> tuple[float, float]:
        """The value that lies at a pixel."""
        scale = (self.high - self.low) / self.edge
        return rounded(self.low + point[0] * scale), rounded(self.high - point[1] * scale)

    def axes(self, across: str | None, upwards: str | None) -> tuple[Any, Any]:
        """Both axes with their titles, for every layer of the plot alike."""
        import altair as alt

        scale = alt.Scale(domain=[self.low, self.high], nice=False, zero=False)
        axis = alt.Axis(tickCount=5, format=".2~f")
        return (
            alt.X("x:Q", scale=scale, title=across, axis=axis),
            alt.Y("y:Q", scale=scale, title=upwards, axis=axis),
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
