"""Figures of the points of results, as the glossary says that they are drawn."""

from collections.abc import Iterator
from dataclasses import dataclass

from unslant.core.exhibits import Point, When
from unslant.core.measurement import Measurement
from unslant.core.record import Record, Result
from unslant.core.score import Drawing
from unslant.reports.figures.bars import bars
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.panels import Cloud, Panel, heading, not_comparable
from unslant.reports.figures.planes import plane
from unslant.reports.figures.values import capital, shortened, shown, slug, spaced
from unslant.reports.words import number

_A_SIDE = 12


def drawings(record: Record, kind: str) -> Iterator[Figure]:
    """The figures of one kind, one for each list of words.

    A measure may give several results for one list, such as bias along the old direction and along
    a new one. The first result that has points is drawn.
    """
    seen: set[tuple[str, Drawing, str]] = set()
    for result in record.results:
        meaning = record.glossary.get(result.now.metric)
        for drawing in meaning.drawn if meaning else ():
            drawn = _Drawn(record, result, drawing)
            key = (result.now.metric, drawing, drawn.items)
            if drawing.kind == kind and key not in seen and drawn.panels:
                figure = _FIGURES[kind](drawn)
                if figure is not None:
                    seen.add(key)
                    yield figure


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A result whose points are drawn in one way."""

    record: Record
    result: Result
    drawing: Drawing

    @property
    def items(self) -> str:
        """What the points are: the first list of words that was measured."""
        now = self.result.now
        return shown(now.words[0].set if now.words else now.title)

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Before and now, each if it has the points."""
        is_pair = self.result.before is not None
        return tuple(
            Panel(
                heading(self.record, when, is_pair=is_pair),
                self._points(found),
                when,
                facts=self._facts(found),
                clusters=self._clusters(found),
            )
            for when, found in self._measured
        )

    @property
    def ends(self) -> tuple[str, str] | None:
        """What the two sides are called, if the first measurement says so."""
        return self._details(self.drawing.sides)

    @property
    def words(self) -> tuple[str, str] | None:
        """The words that the two sides stand for, if the first measurement lists them."""
        return self._details(self.drawing.words)

    @property
    def unit(self) -> str:
        """What the numbers are."""
        return self.drawing.unit or spaced(self.drawing.x)

    @property
    def is_compared(self) -> bool:
        """Whether there are points of before and of now."""
        return len(self._measured) > 1

    @property
    def warning(self) -> str:
        """What the caption says if before and now may not be compared."""
        return not_comparable(self.result.not_comparable)

    def detail(self, key: str) -> str | float | None:
        """A detail of the first measurement that has points."""
        return self._measured[0][1].details.get(key)

    @property
    def _measured(self) -> list[tuple[When, Measurement]]:
        """Before and now, each if its points have the keys that the drawing needs."""
        how = self.drawing
        needed = {key for key in (how.label, how.x, how.y, how.group, how.cluster) if key}
        both: list[tuple[When, Measurement | None]]
        both = [("before", self.result.before), ("now", self.result.now)]
        return [
            (when, found)
            for when, found in both
            if found is not None
            and found.points
            and all(needed <= point.keys() for point in found.points)
        ]

    def _points(self, found: Measurement) -> tuple[Point, ...]:
        how = self.drawing
        return tuple(
            Point(
                label=str(point[how.label]),
                x=float(point[how.x]),
                y=float(point[how.y]) if how.y else None,
                group=str(point[how.group]) if how.group else "",
            )
            for point in found.points
        )

    def _clusters(self, found: Measurement) -> tuple[str, ...]:
        key = self.drawing.cluster
        return tuple(str(point[key]) for point in found.points) if key else ()

    def _facts(self, found: Measurement) -> str:
        """The value of a clustering and what stands beside it."""
        if not self.drawing.cluster:
            return ""
        beside = {key: found.details.get(key) for key in self.drawing.facts}
        return ", ".join(
            f"{spaced(name)} {number(value, 2)}"
            for name, value in ({self.unit: found.value} | beside).items()
            if isinstance(value, float | int)
        )

    def _details(self, keys: tuple[str, str] | None) -> tuple[str, str] | None:
        if keys is None or any(self.detail(key) is None for key in keys):
            return None
        return shown(str(self.detail(keys[0]))), shown(str(self.detail(keys[1])))


def _plane(drawn: _Drawn) -> Figure:
    ends, how = drawn.ends, drawn.drawing
    x, y = spaced(how.x), spaced(how.y)
    title = f"{x} and {y}"
    caption = f"Each point is one item of {drawn.items}: {x} (across) and {y} (upwards)."
    if ends:
        quoted = [f"“{shortened(end)}”" for end in ends]
        title = f"closeness to {quoted[0]} and {quoted[1]}"
        y, x = (f"{drawn.unit} with {end}" for end in quoted)
        caption = _closeness(drawn, ends)
    cloud = Cloud(
        name=f"scatter-{slug(drawn.items)}",
        title=f"{capital(shortened(drawn.items))}: {title}",
        caption=caption + drawn.warning,
        panels=drawn.panels,
        x=x,
        y=y,
        ends=ends,
    )
    return plane(cloud)


def _closeness(drawn: _Drawn, ends: tuple[str, str]) -> str:
    """How to read a plane between two sides, and when it misleads."""
    groups = len(drawn.record.subject.groups)
    sides = [
        end if end == words else f"{end} ({shortened(words, 90)})"
        for end, words in zip(ends, drawn.words or ends, strict=True)
    ]
    text = (
        f"Each point is a word: its {drawn.unit} with {sides[1]} (across) and with {sides[0]} "
        f"(upwards). Words on the dashed line are equally close to both sides; the further a word "
        f"is from the line, the more it leans to one side."
    )
    if groups > 2:
        text += f" The sides are the first two of {groups} groups."
    text += " The words furthest from the line are named; point at the others to see their names."
    if drawn.is_compared:
        text += (
            " Both plots have the same scale. Colour and shape show the side that a word was on "
            "before. Both plots measure closeness to the two sides as they were before."
        )
    return text + (
        " Points on the line do not prove that no bias is left: other words for the same groups "
        "may give other results."
    )


def _axis(drawn: _Drawn) -> Figure | None:
    along, axes = drawn.detail(drawn.drawing.along), drawn.detail("axes")
    what = f"{drawn.unit} on {shown(str(along))}" if along else drawn.unit
    text = (
        f"Bars show the {what}: the further from 0, the more a word leans. Only the {_A_SIDE} "
        f"words furthest to each side are shown."
    )
    if any(panel.when == "before" for panel in drawn.panels):
        text += " They were chosen by their values before."
        text += " Both values are along the direction as it was before." if along else ""
    if isinstance(axes, int) and axes > 1:
        text += f" The bars show the first of {axes} axes; the measure uses all of them."
    ends = drawn.ends or ("one end", "the other end")
    before = " before" if drawn.panels[0].when == "before" else ""
    cloud = Cloud(
        name=f"extremes-{slug(drawn.items)}",
        title=f"{capital(shortened(drawn.items))}: furthest to either side{before}",
        caption=text + drawn.warning,
        panels=drawn.panels,
        x=what if len(what) <= 60 else drawn.unit,
        ends=(f"towards {ends[0]}", f"towards {ends[1]}"),
    )
    return bars(cloud, _A_SIDE) if any(p.x for p in drawn.panels[0].points) else None


def _clusters(drawn: _Drawn) -> Figure:
    before = " before" if drawn.is_compared else ""
    meaning = drawn.record.glossary[drawn.result.now.metric]
    cloud = Cloud(
        name="clusters",
        title=shown(drawn.result.now.title),
        caption=f"Colour and shape show the {spaced(drawn.drawing.group)} of each word{before}; "
        f"filled and hollow marks show the two clusters, which were found in all dimensions. "
        f"{meaning.summary.rstrip('.')} ({meaning.range}; {meaning.better} is better). "
        f"Each plot shows the first two principal axes of its own vectors, on the same scale. A "
        f"few words are named; point at the others to see their names. "
        f"{meaning.misleads}{drawn.warning}",
        panels=drawn.panels,
        x="first principal axis",
        y="second principal axis",
        group=spaced(drawn.drawing.group),
    )
    return plane(cloud)


_FIGURES = {"plane": _plane, "axis": _axis, "clusters": _clusters}
