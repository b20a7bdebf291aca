"""Bias against quality: which rows of a study no other beats in both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from unslant.core.score import Better
from unslant.core.study_record import Front, Key, StudyPart, StudyTable, TableCell
from unslant.core.wording import counted, number
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.labels import Box, Point, box_of, placed
from unslant.reports.figures.planes import TEXT_SIZE, Plane
from unslant.reports.figures.theme import FIRST, QUIET
from unslant.reports.figures.values import originals, rounded, shortened, span, tooltips

# The rows of a study by two measures, and the Pareto front.

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Side:
    """One axis: a measure as it is, or its distance from the number it should be close to."""

    label: str
    better: Better

    @property
    def is_more_better(self) -> bool:
        """Whether the better side is that of larger numbers on the axis."""
        return self.better == Better.of("larger")

    @property
    def title(self) -> str:
        """The axis in words, with an arrow towards the better side."""
        name = self.label
        if self.better.has_goal:
            name = f"distance of {name} from {self.better.sign.removeprefix('→')}"
        return (
            f"{name} (larger is better →)"
            if self.is_more_better
            else f"{name} (← smaller is better)"
        )

    def on_axis(self, value: float) -> float:
        """The position of a value on the axis."""
        return self.better.gap(value) if self.better.has_goal else value

    def bounds(self, interval: Sequence[float] | None) -> Bounds | None:
        """The ends of an interval on the axis."""
        if interval is None:
            return None
        low, high = interval
        return self.better.gaps(low, high) if self.better.has_goal else (low, high)


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A row of the study: its position, its intervals, and its description."""

    name: str
    x: float
    y: float
    across: Bounds | None
    upwards: Bounds | None
    is_best: bool
    is_original: bool
    numbers: str
    says: dict[str, str]
    kind: str = ""
    """Its entry in the legend; by default that of whether it is beaten."""

    @property
    def ends(self) -> list[tuple[Bounds, Bounds]]:
        """The ends of its intervals in the plane."""
        flat = [((end_x, self.y) for end_x in self.across)] if self.across else []
        upright = [((self.x, end_y) for end_y in self.upwards)] if self.upwards else []
        return [(next(ends), next(ends)) for ends in (*flat, *upright)]


def sides(ranking: Front) -> tuple[Side, Side]:
    """The measure across and the one upwards."""
    found = [Side(item.label, Better.of(item.better)) for item in ranking.measures]
    return found[0], found[1]


def spots(study: StudyPart, table: StudyTable, ranking: Front) -> list[Spot]:
    """The rows that have both numbers, the best first."""
    x, y = sides(ranking)
    cells = _cells(table, (x.label, y.label))
    unchanged = originals(study)
    is_one, is_one_method = (len({item.key[at] for item in ranking.order}) == 1 for at in (0, 1))
    found = []
    for item in ranking.order:
        resource, method = map(str, item.key)
        one, other = cells[item.key]
        name = method if is_one else resource if is_one_method else f"{resource} {method}"
        mark = " ≠" if any(item.other_words) else ""
        found.append(
            Spot(
                name=name + mark,
                x=x.on_axis(item.values[0]),
                y=y.on_axis(item.values[1]),
                across=x.bounds(one.interval),
                upwards=y.bounds(other.interval),
                is_best=item.front == 1,
                is_original=method in unchanged,
                numbers=" and ".join(number(value) for value in item.values),
                says={
                    "resource": resource,
                    "method": method,
                    "first": f"{number(item.values[0])} ({span(one)})",
                    "second": f"{number(item.values[1])} ({span(other)})",
                    "worse": ", ".join(item.dominated_by[:4]) or "nothing",
                },
            )
        )
    return found


def staircase(
    found: Sequence[Spot], both: tuple[Side, Side], room: tuple[Bounds, Bounds]
) -> list[Bounds]:
    """The corners of the line that joins the best rows, from edge to edge of the plot."""
    x, y = both
    across, upwards = room
    best = sorted({(spot.x, spot.y) for spot in found if spot.is_best}, reverse=x.is_more_better)
    worst_x, worst_y = across[not x.is_more_better], upwards[not y.is_more_better]
    corners = [(best[0][0], worst_y)]
    for here, there in zip(best, [*best[1:], (worst_x, 0.0)], strict=True):
        corners += [here, (there[0], here[1])]
    return corners


def _cells(table: StudyTable, labels: Sequence[str]) -> dict[Key, list[TableCell]]:
    columns = [column.label for column in table.columns]
    places = [columns.index(label) for label in labels]
    return {row.key: [row.cells[place] for place in places] for row in table.rows}


_MARGIN = 0.06
_WIDTH, _HEIGHT = 560, 380
_RADIUS = 6
_MOST_BARS = 12
_KINDS = {
    "beaten by none": ("diamond", FIRST),
    "beaten by another": ("circle", QUIET),
    "without a method, beaten by none": ("square", FIRST),
    "without a method, beaten": ("square", QUIET),
}


def front(study: StudyPart) -> Figure | None:
    """The rows of a study between two measures; None where the study has no two."""
    ranking = study.front
    if ranking is None or study.table is None or not ranking.order:
        return None
    both = sides(ranking)
    found = spots(study, study.table, ranking)
    is_quality = ranking.sides == "bias and quality"
    return Figure(
        name="front",
        title="Bias against quality" if is_quality else "Two measures of bias against each other",
        caption=_caption(ranking, both),
        description=_description(found, both),
        chart=chart(found, both),
    )


def _kind(spot: Spot, legend: Mapping[str, tuple[str, str]]) -> str:
    return spot.kind or list(legend)[2 * spot.is_original + (not spot.is_best)]


def _room(values: Sequence[float], bars: Sequence[Bounds | None]) -> Bounds:
    every = [*values, *(end for bar in bars if bar for end in bar)]
    low, high = min(every), max(every)
    rest = _MARGIN * (high - low) or 0.05 * abs(high) or 0.05
    return rounded(low - rest), rounded(high + rest)


def chart(
    found: Sequence[Spot],
    both: tuple[Side, Side],
    legend: Mapping[str, tuple[str, str]] | None = None,
    most_bars: int = _MOST_BARS,
) -> Any:
    """Rows in the plane of two measures.

    ``legend`` has the shape and colour of what is beaten by none, of what is beaten, of both
    without a method, and of other kinds. With more rows than ``most_bars`` intervals are left out.
    """
    import altair as alt

    has_bars = len(found) <= most_bars
    across = _room([s.x for s in found], [s.across for s in found] if has_bars else ())
    upwards = _room([s.y for s in found], [s.upwards for s in found] if has_bars else ())
    axis = alt.Axis(tickCount=6)
    x = alt.X("x:Q", title=both[0].title, axis=axis)
    x = x.scale(domain=list(across), nice=False, zero=False)
    y = alt.Y("y:Q", title=both[1].title, axis=axis)
    y = y.scale(domain=list(upwards), nice=False, zero=False)
    legend = legend or _KINDS
    rows = [_row(spot, legend) for spot in found]
    tips = {
        "resource": "vectors",
        "method": "method",
        "first": shortened(both[0].label),
        "second": shortened(both[1].label),
        "worse": "beaten by",
    }
    kinds = [kind for kind in legend if any(row["kind"] == kind for row in rows)]
    shapes, inks = zip(*(legend[kind] for kind in kinds), strict=True)
    dots = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            x=x,
            y=y,
            tooltip=tooltips(tips),
            color=alt.Color("kind:N", title=None, legend=alt.Legend(orient="top")).scale(
                domain=kinds, range=list(inks)
            ),
            shape=alt.Shape("kind:N").scale(domain=kinds, range=list(shapes)),
        )
    )
    corners = staircase(found, both, (across, upwards))
    turns = [
        {"x": rounded(px), "y": rounded(py), "order": number}
        for number, (px, py) in enumerate(corners)
    ]
    steps = (
        alt.Chart(alt.Data(values=turns))
        .mark_line(color=FIRST, strokeWidth=1.5, strokeDash=[6, 4], opacity=0.8)
        .encode(x=x, y=y, order="order:Q")
    )
    bars = _bars(found, x, y) if has_bars else []
    names = _names(found, Plane(across, upwards, (_WIDTH, _HEIGHT)), corners, (x, y), has_bars)
    return alt.layer(steps, *bars, dots, *names).properties(width=_WIDTH, height=_HEIGHT)


def _row(spot: Spot, legend: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    return {"x": rounded(spot.x), "y": rounded(spot.y), "kind": _kind(spot, legend), **spot.says}


def _bars(found: Sequence[Spot], x: Any, y: Any) -> list[Any]:
    import altair as alt

    def rules(rows: list[dict[str, float]], **ends: str) -> Any:
        mark = alt.Chart(alt.Data(values=rows)).mark_rule(strokeWidth=1, color=QUIET, opacity=0.55)
        return mark.encode(x=x, y=y, **ends)

    flat = [
        {"x": rounded(s.across[0]), "end": rounded(s.across[1]), "y": rounded(s.y)}
        for s in found
        if s.across
    ]
    upright = [
        {"x": rounded(s.x), "y": rounded(s.upwards[0]), "end": rounded(s.upwards[1])}
        for s in found
        if s.upwards
    ]
    return [
        *([rules(flat, x2="end:Q")] if flat else []),
        *([rules(upright, y2="end:Q")] if upright else []),
    ]


def _caption(ranking: Front, both: tuple[Side, Side]) -> str:
    count = len(ranking.order)
    said = [
        "Each point is one row of the study. Those on the broken line are beaten by none: no other "
        "is better by one measure and no worse by the other. What lies behind the line is beaten."
    ]
    if any(side.better.has_goal for side in both):
        said.append("What should be close to a number is shown by its distance from it.")
    if count <= _MOST_BARS:
        said.append("Thin lines are confidence intervals.")
    else:
        said.append("Intervals are left out to keep the figure readable; hover to see them.")
    said.append("Points whose intervals overlap may well be equally good.")
    if any(any(item.other_words) for item in ranking.order):
        said.append("≠ used other words than most, so it does not compare.")
    if left_out := ranking.left_out:
        are = "is" if len(left_out) == 1 else "are"
        said.append(f"{counted(len(left_out), 'row')} without both numbers {are} not shown.")
    return " ".join(said)


def _description(found: Sequence[Spot], both: tuple[Side, Side]) -> str:
    best = [spot for spot in found if spot.is_best]
    named = "; ".join(f"{spot.name} ({spot.numbers})" for spot in best[:6])
    return (
        f"{counted(len(found), 'row')} by {both[0].label} and {both[1].label}; "
        f"{len(best)} beaten by none: {named}."
    )


def _names(
    found: Sequence[Spot],
    frame: Plane,
    corners: Sequence[Point],
    axes: tuple[Any, Any],
    has_bars: bool,
) -> list[Any]:
    """Point labels, placed to avoid the lines where possible."""
    points = [frame.pixel(spot.x, spot.y) for spot in found]
    order = sorted(range(len(found)), key=lambda place: not found[place].is_best)
    marked = {n: shortened(spot.name, 34) for n, spot in enumerate(found) if spot.kind}
    texts: dict[int, str] = dict(marked)
    line = [_box(frame, a, b) for a, b in pairwise(corners)]
    bars = [_box(frame, *ends) for spot in found for ends in spot.ends] if has_bars else []
    labels = placed(points, marked, frame.size, size=TEXT_SIZE, radius=_RADIUS)
    # Half a name is better than none; only what is best may have one across the front.
    for taken, longest in (([*line, *bars], 34), (line, 34), (line, 16), ([], 16)):
        done = {label.place for label in labels}
        full = [
            box_of(points[label.place], label, texts[label.place], TEXT_SIZE) for label in labels
        ]
        left = {
            p: shortened(found[p].name, longest)
            for p in order
            if p not in done and (taken or found[p].is_best)
        }
        texts |= left
        labels += placed(
            points, left, frame.size, size=TEXT_SIZE, radius=_RADIUS, taken=[*taken, *full]
        )
    return [layer.encode(x=axes[0], y=axes[1]) for layer in frame.words(labels, texts, points)]


def _box(frame: Plane, one: Point, other: Point) -> Box:
    (x1, y1), (x2, y2) = frame.pixel(*one), frame.pixel(*other)
    return min(x1, x2) - 1, min(y1, y2) - 1, max(x1, x2) + 1, max(y1, y2) + 1
