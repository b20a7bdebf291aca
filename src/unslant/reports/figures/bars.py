"""Bars of items along one axis, on both sides of 0, with intervals and with those of before."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.exhibits import Point
from unslant.core.wording import capital, number, span
from unslant.reports.figures.figure import Cloud, Figure, Panel
from unslant.reports.figures.labels import text_width
from unslant.reports.figures.theme import FIRST, QUIET, SECOND, THIRD
from unslant.reports.figures.values import of_rows, rounded, shortened

# A plot of rows: texts at the left, marks on a common scale, columns of text at the right.

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


_NEITHER = "neither side"
_BEFORE = {"fill": None, "stroke": QUIET, "strokeWidth": 1.5}
_MARK = {"shape": "diamond", "filled": True, "size": 110, "color": THIRD, "opacity": 1}

Row = dict[str, Any]


def bars(cloud: Cloud, most: int) -> Figure:
    """A bar for each item of the first group, and a mark for each item of the others.

    With ``ends`` the ``most`` items furthest to each side are shown, else the first ``most``.
    """
    import altair as alt

    parts: dict[str, dict[str, Panel]] = {}
    for panel in cloud.panels:
        parts.setdefault(panel.part, {})[panel.when] = panel
    rows = {part: list(_rows(cloud, panels, most)) for part, panels in parts.items()}
    items = [row for part in rows.values() for row in part if "word" in row]
    charts = [
        _chart(cloud, part, rows[part], items, is_one_of_several=len(parts) > 1) for part in parts
    ]
    return Figure(
        name=cloud.name,
        title=cloud.title,
        caption=cloud.caption,
        description=" ".join(_description(cloud, part, rows[part]) for part in parts),
        chart=alt.vconcat(*charts, spacing=24) if len(charts) > 1 else charts[0],
    )


def _rows(cloud: Cloud, panels: Mapping[str, Panel], most: int) -> Iterator[Row]:
    """A row for each item, below a row with the name of its side."""
    chosen = panels.get("before") or panels["now"]
    first = chosen.points[0].group
    own = [point for point in chosen.points if point.group == first]
    known = {
        when: {point.label: point for point in panel.points if point.group == first}
        for when, panel in panels.items()
    }
    marks = {point.label: point for point in chosen.points if point.group != first}
    place = 0
    for side, points in _sections(own, cloud.ends, most):
        if side and points:
            yield {"row": place, "text": shortened(side)}
            place += 1
        for point in points:
            yield _row(place, point.label, side, known, marks.pop(point.label, None))
            place += 1
    for label, mark in list(marks.items())[:most]:
        yield _row(place, label, "", {}, mark)
        place += 1


def _sections(
    points: Sequence[Point], ends: tuple[str, str] | None, most: int
) -> list[tuple[str, list[Point]]]:
    if ends is None:
        return [("", list(points[:most]))]
    ordered = sorted(points, key=lambda point: point.x)
    above = [point for point in reversed(ordered) if point.x > 0]
    below = [point for point in ordered if point.x < 0]
    level = [point for point in points if not point.x]
    return [(ends[0], above[:most]), (ends[1], below[:most]), (_NEITHER, level[:most])]


def _row(
    place: int,
    label: str,
    side: str,
    known: Mapping[str, Mapping[str, Point]],
    mark: Point | None,
) -> Row:
    row: Row = {"row": place, "text": shortened(label, 22), "word": label, "side": side}
    row |= {when: rounded(points[label].x) for when, points in known.items() if label in points}
    if mark is not None:
        row["mark"] = rounded(mark.x)
    spanned = known.get("now", {}).get(label) or mark
    if spanned and spanned.low is not None and spanned.high is not None:
        row |= {"low": rounded(spanned.low), "high": rounded(spanned.high)}
        row["interval"] = span(spanned.low, spanned.high)
    return row


def _chart(
    cloud: Cloud,
    part: str,
    rows: Sequence[Row],
    everything: Sequence[Row],
    *,
    is_one_of_several: bool,
) -> Any:
    import altair as alt

    items = [row for row in rows if "word" in row]
    plot = RowPlot(len(rows), 20, 180, 628)
    keys = ("now", "before", "mark", "low", "high")
    x = plot.x([row[key] for row in everything for key in keys if key in row], cloud.x)
    there = [key for key in keys if any(key in row for row in items)]
    now = "after" if "before" in there else cloud.x
    titles = {"now": now, "before": "before", "mark": cloud.x}
    tips = [alt.Tooltip("word:N", title="item")]
    tips += [
        alt.Tooltip(f"{key}:Q", title=title, format="+.3f")
        for key, title in titles.items()
        if key in there
    ]
    if "low" in there:
        tips.append(alt.Tooltip("interval:N", title="interval"))
    common = {"y": plot.y(), "tooltip": tips}

    def of(key: str) -> Any:
        return of_rows([{**row, "x": row[key]} for row in items if key in row])

    layers = [plot.zero(x)]
    if "now" in there:
        colour = alt.Scale(
            domain=[*cloud.ends, _NEITHER] if cloud.ends else [""], range=[FIRST, SECOND, QUIET]
        )
        solid = of("now").mark_bar(
            height={"band": 0.6}, minBandSize=1, opacity=0.5 if "low" in there else 1
        )
        ink = alt.Color("side:N", scale=colour, legend=None)
        layers.append(solid.encode(**common, x=x, x2=alt.datum(0), color=ink))
    if "before" in there:
        hollow = of("before").mark_bar(height={"band": 0.8}, **_BEFORE)
        layers.append(hollow.encode(**common, x=x, x2=alt.datum(0)))
    if "low" in there:
        layers.append(of("low").mark_rule(strokeWidth=2).encode(**common, x=x, x2="high:Q"))
    if "mark" in there:
        layers.append(of("mark").mark_point(**_MARK).encode(**common, x=x))
    heads = {row["row"]: [row["text"]] for row in rows if "word" not in row}
    layers += plot.texts(heads, plot.left - 8, "right", fontWeight="bold")
    names = {row["row"]: [row["text"]] for row in items}
    layers += plot.texts(names, plot.left - 8, "right")
    done = plot.below(plot.key(_key(cloud, there)), *layers)
    return done.properties(title=shortened(part, 60)) if is_one_of_several else done


def _key(cloud: Cloud, there: Sequence[str]) -> list[Entry]:
    entries: list[Entry] = []
    fills = [FIRST, SECOND] if cloud.ends else [FIRST]
    if "before" in there and "now" in there:
        entries = [(_BEFORE, "before"), ({"fills": fills}, "after")]
    groups = list(dict.fromkeys(p.group for panel in cloud.panels for p in panel.points))
    if "mark" in there and not cloud.ends:
        entries = entries or [({"fills": fills}, shortened(groups[0]))]
        entries.append((_MARK, shortened(", ".join(groups[1:]))))
    return entries


def _description(cloud: Cloud, part: str, rows: Sequence[Row]) -> str:
    """The items furthest to each side, for screen readers."""
    items = [row for row in rows if "word" in row]
    said = []
    for side in (*cloud.ends, _NEITHER) if cloud.ends else ("",):
        first = [row for row in items if row["side"] == side and set(row) & {"now", "before"}][:3]
        if first:
            named = ", ".join(f"{row['word']} ({_values(row)})" for row in first)
            said.append(f"{capital(side) or 'First'}: {named}.")
    spans = [row for row in items if "low" in row and "now" in row]
    if spans:
        clear = sum(row["low"] * row["high"] > 0 for row in spans)
        said.append(f"{clear} of {len(spans)} intervals exclude 0.")
    alone = [row for row in items if "mark" in row and "now" not in row][:3]
    said += [f"{row['word']}: {number(row['mark'])}." for row in alone]
    lead = f"{part}: " if part else ""
    return lead + " ".join(said)


def _values(row: Row) -> str:
    before, now = (number(row[key], 2) if key in row else "" for key in ("before", "now"))
    return f"{before}, then {now}" if before and now else before or now
