"""A plot of rows: texts at the left, marks on a common scale, columns of text at the right."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.reports.figures.labels import text_width
from unslant.reports.figures.theme import QUIET
from unslant.reports.figures.values import of_rows, rounded

TEXT_SIZE = 12
LINE_HEIGHT = 15
_KEY = 18
_SPACE = 16.0
_TEXT = {"baseline": "middle", "fontSize": TEXT_SIZE}

Entry = tuple[Mapping[str, Any], str]


@dataclass(frozen=True)
class RowPlot:
    """``count`` rows of ``step`` pixels, with a scale between the pixels ``left`` and ``right``."""

    count: int
    step: int
    left: int
    right: int
    width: int = 640

    @property
    def height(self) -> int:
        """The height of all rows in pixels."""
        return self.count * self.step

    def x(self, values: Iterable[float], title: str) -> Any:
        """The common scale of the field ``x``, with room for all values and for 0."""
        import altair as alt

        known = [0.0, *values]
        low, high = min(known), max(known)
        margin = (high - low) * 0.05 or 1.0
        domain = [rounded(low - margin), rounded(high + margin)]
        scale = alt.Scale(domain=domain, range=[self.left, self.right], nice=False)
        return alt.X("x:Q", scale=scale, title=title, axis=alt.Axis(tickCount=6, format=".2~f"))

    def y(self) -> Any:
        """The rows from the top, by the field ``row``, counted from 0."""
        import altair as alt

        scale = alt.Scale(domain=list(range(self.count)), range=[0, self.height])
        return alt.Y("row:O", axis=None, scale=scale)

    def texts(
        self, texts: Mapping[int, Sequence[str]], at: float, align: str, **mark: Any
    ) -> list[Any]:
        """Texts of one or more lines at a pixel, by the row each is centred on."""
        import altair as alt

        by_height: dict[float, list[dict[str, Any]]] = defaultdict(list)
        for row, lines in texts.items():
            for place, line in enumerate(lines):
                down = (place - (len(lines) - 1) / 2) * LINE_HEIGHT
                by_height[down].append({"row": row, "text": line})
        return [
            of_rows(rows)
            .mark_text(align=align, dy=down, **_TEXT, **mark)
            .encode(x=alt.XValue(at), y=self.y(), text=alt.Text("text:N"))
            for down, rows in by_height.items()
        ]

    def zero(self, x: Any) -> Any:
        """The line of no effect, across all rows."""
        import altair as alt

        mark = of_rows([{"x": 0}]).mark_rule(color=QUIET, strokeWidth=1.5)
        return mark.encode(x=x, y=alt.YValue(0), y2=alt.Y2Value(self.height))

    def below(self, key: Any, *layers: Any) -> Any:
        """The whole plot below its key, if it has one."""
        import altair as alt

        plot = alt.layer(*layers).properties(width=self.width, height=self.height)
        return plot if key is None else alt.vconcat(key, plot, spacing=6)

    def key(self, entries: Sequence[Entry], heads: Sequence[tuple[str, float]] = ()) -> Any:
        """Marks with what they mean in one line, and the heads of columns that end at a pixel."""
        import altair as alt

        layers, at = [], float(self.left)
        for mark, text in entries:
            layers += [_sign(mark, at), _text(text, at + 20, "left")]
            at += 20 + text_width(text, TEXT_SIZE) + _SPACE
        layers += [_text(text, end, "right", fontWeight="bold") for text, end in heads]
        return alt.layer(*layers).properties(width=self.width, height=_KEY) if layers else None


def _text(text: str, at: float, align: str, **mark: Any) -> Any:
    import altair as alt

    base = of_rows([{"text": text}]).mark_text(align=align, **_TEXT, **mark)
    return base.encode(x=alt.XValue(at), y=alt.YValue(_KEY / 2), text=alt.Text("text:N"))


def _sign(mark: Mapping[str, Any], at: float) -> Any:
    import altair as alt

    base, middle = of_rows([{}]), _KEY / 2
    if "shape" in mark:
        return base.mark_point(**mark).encode(x=alt.XValue(at + 7), y=alt.YValue(middle))
    fills = mark.get("fills", [None])
    width = 14 / len(fills)
    rest = {name: value for name, value in mark.items() if name != "fills"}
    return alt.layer(
        *(
            base.mark_rect(**{**rest, "fill": fill}).encode(
                x=alt.XValue(at + place * width),
                x2=alt.X2Value(at + (place + 1) * width),
                y=alt.YValue(middle - 5),
                y2=alt.Y2Value(middle + 5),
            )
            for place, fill in enumerate(fills)
        )
    )
