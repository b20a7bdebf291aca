"""Every figure that a record has the data for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from unslant.core.exhibits import Curves, Grid, Point, Points, Shares, When
from unslant.core.measurement import Measurement
from unslant.core.record import Meaning, Recommendation, Record, Result
from unslant.core.score import Drawing
from unslant.core.study_record import StudyPart
from unslant.core.wording import capital, named, number
from unslant.reports.figures.bars import bars
from unslant.reports.figures.cell_grid import grid
from unslant.reports.figures.column_chart import fits_upright, upright
from unslant.reports.figures.curves import curves
from unslant.reports.figures.figure import Cloud, Figure, Panel, heading
from unslant.reports.figures.findings import findings
from unslant.reports.figures.forest import forests
from unslant.reports.figures.planes import plane
from unslant.reports.figures.scores import scores
from unslant.reports.figures.shares import shares
from unslant.reports.figures.values import shortened, slug

# Figures of a record's exhibits: points, shares, curves and grids.

_MOST = 30


def exhibit_figures(record: Record) -> Iterator[Figure]:
    """One figure for each id; tables and examples have none."""
    by_id: dict[tuple[str, str], list[Points | Shares]] = {}
    for exhibit in record.exhibits:
        if isinstance(exhibit, Points | Shares):
            by_id.setdefault((exhibit.kind, exhibit.id), []).append(exhibit)
        elif isinstance(exhibit, Curves) and exhibit.points:
            yield curves(exhibit)
        elif isinstance(exhibit, Grid) and exhibit.rows and exhibit.columns:
            yield grid(exhibit)
    for parts in by_id.values():
        # "before" precedes "now".
        ordered = sorted(parts, key=lambda exhibit: exhibit.when)
        if points := [part for part in ordered if isinstance(part, Points) and part.points]:
            yield _points(record, points)
        if stacks := [part for part in ordered if isinstance(part, Shares) and part.rows]:
            yield shares(stacks)


def _points(record: Record, parts: Sequence[Points]) -> Figure:
    last, is_pair = parts[-1], len({part.when for part in parts}) > 1
    cloud = Cloud(
        name=slug(last.id),
        title=last.title,
        caption=last.caption or f"Each item with its {last.x}.",
        panels=tuple(_panels(record, parts, is_pair)),
        x=last.x,
        y=last.y,
        ends=last.ends,
    )
    if any(point.y is not None for part in parts for point in part.points):
        return plane(cloud)
    return upright(cloud) if fits_upright(cloud) and not is_pair else bars(cloud, _MOST)


def _panels(record: Record, parts: Iterable[Points], is_pair: bool) -> Iterator[Panel]:
    for part in parts:
        said = heading(record, part.when, is_pair=is_pair, part=part.part)
        yield Panel(said if is_pair or part.part else "", part.points, part.when, part=part.part)


# The points of a result as its drawing reads them, before and now.

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class DrawnPoints:
    """A result with one of the drawings that its glossary entry declares."""

    record: Record
    result: Result
    drawing: Drawing

    @property
    def meaning(self) -> Meaning:
        """The glossary entry."""
        return self.record.glossary[self.result.now.metric]

    @property
    def items(self) -> str:
        """The kind of points: the first list of words that was measured."""
        now = self.result.now
        return now.words[0].set if now.words else now.title

    @property
    def unit(self) -> str:
        """The unit of the numbers."""
        return self.drawing.unit or named(self.drawing.x)

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """Before and now, each if its points have the keys that the drawing needs."""
        how, is_pair = self.drawing, self.result.before is not None
        both: tuple[tuple[When, Measurement | None], ...]
        both = ("before", self.result.before), ("now", self.result.now)
        return tuple(
            Panel(
                heading(self.record, when, is_pair=is_pair),
                tuple(
                    Point(
                        label=str(point[how.label]),
                        x=float(point[how.x]),
                        y=float(point[how.y]) if how.y else None,
                        group=str(point[how.group]) if how.group else "",
                    )
                    for point in found.points
                ),
                when,
                facts=self._facts(found) if how.cluster else "",
                clusters=tuple(str(p[how.cluster]) for p in found.points) if how.cluster else (),
            )
            for when, found in both
            if found and found.points and all(map(self._is_drawable, found.points))
        )

    def _is_drawable(self, point: Mapping[str, float | str]) -> bool:
        how = self.drawing
        return all(key in point for key in (how.label, how.group, how.cluster) if key) and all(
            isinstance(point.get(key), float | int) for key in (how.x, how.y) if key
        )

    @property
    def has_before(self) -> bool:
        """Whether there are points of before."""
        return any(panel.when == "before" for panel in self.panels)

    def detail(self, key: str) -> float | str | None:
        """A detail of the first measurement that has points."""
        before = self.result.before
        return (before if before and self.has_before else self.result.now).details.get(key)

    def names(self, keys: Pair | None) -> Pair | None:
        """Two details as texts, if both exist."""
        first, second = map(self.detail, keys or ("", ""))
        return None if first is None or second is None else (str(first), str(second))

    def _facts(self, found: Measurement) -> str:
        """The value of a clustering and its details."""
        facts = {self.unit: found.value} | {k: found.details.get(k) for k in self.drawing.facts}
        return ", ".join(
            f"{named(name)} {number(value, 2)}"
            for name, value in facts.items()
            if isinstance(value, float | int)
        )


# Figures of the points of results, as the glossary says that they are drawn.

_A_SIDE = 12


def drawings(record: Record, kind: str) -> Iterator[Figure]:
    """The figures of one kind, one for each list of words.

    A measure may have several results for one list, such as bias along the old direction and along
    a new one. The first result that has points is drawn.
    """
    seen: set[tuple[str, Drawing, str]] = set()
    for result in record.results:
        meaning = record.glossary.get(result.now.metric)
        for drawing in meaning.drawn if meaning else ():
            drawn = DrawnPoints(record, result, drawing)
            key = (result.now.metric, drawing, drawn.items)
            if drawing.kind == kind and key not in seen and drawn.panels:
                seen.add(key)
                figure = _FIGURES[kind](drawn)
                if figure is not None:
                    yield figure


def _warning(drawn: DrawnPoints) -> str:
    """The caption's note if before and now are not comparable, after a space."""
    why = drawn.result.not_comparable
    return f" ≠ Before and after are not fully comparable: {why}." if why else ""


def _plane(drawn: DrawnPoints) -> Figure:
    ends, how = drawn.names(drawn.drawing.sides), drawn.drawing
    x, y = named(how.x), named(how.y)
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
        caption=caption + _warning(drawn),
        panels=drawn.panels,
        x=x,
        y=y,
        ends=ends,
    )
    return plane(cloud)


def _closeness(drawn: DrawnPoints, ends: tuple[str, str]) -> str:
    """How to read a plane between two sides, and when it misleads."""
    groups = len(drawn.record.subject.groups)
    sides = [
        end if end == words else f"{end} ({shortened(words, 90)})"
        for end, words in zip(ends, drawn.names(drawn.drawing.words) or ends, strict=True)
    ]
    text = (
        f"Each point is a word: its {drawn.unit} with {sides[1]} (across) and with {sides[0]} "
        f"(upwards). Words on the dashed line are equally close to both sides; the further a word "
        f"is from the line, the more it leans to one side."
    )
    if groups > 2:
        text += f" The sides are the first two of {groups} groups."
    text += " The words furthest from the line are named; point at the others to see their names."
    if len(drawn.panels) > 1:
        text += (
            " Both plots have the same scale. Colour and shape show the side that a word was on "
            "before. Both plots measure closeness to the two sides as they were before."
        )
    return text + (
        " Points on the line do not prove that no bias is left: other words for the same groups "
        "may give other results."
    )


def _axis(drawn: DrawnPoints) -> Figure | None:
    along, axes = drawn.detail(drawn.drawing.along), drawn.detail("axes")
    what = f"{drawn.unit} on {along}" if along else drawn.unit
    text = (
        f"Bars show the {what}: the further from 0, the more a word leans. Only the {_A_SIDE} "
        f"words furthest to each side are shown."
    )
    if drawn.has_before:
        text += " They were chosen by their values before."
        text += " Both values are along the direction as it was before." if along else ""
    if isinstance(axes, int) and axes > 1:
        text += f" The bars show the first of {axes} axes; the measure uses all of them."
    ends = drawn.names(drawn.drawing.sides) or ("one end", "the other end")
    before = " before" if drawn.has_before else ""
    cloud = Cloud(
        name=f"extremes-{slug(drawn.items)}",
        title=f"{capital(shortened(drawn.items))}: furthest to either side{before}",
        caption=text + _warning(drawn),
        panels=drawn.panels,
        x=what if len(what) <= 60 else drawn.unit,
        ends=(f"towards {ends[0]}", f"towards {ends[1]}"),
    )
    return bars(cloud, _A_SIDE) if any(p.x for p in drawn.panels[0].points) else None


def _clusters(drawn: DrawnPoints) -> Figure:
    before = " before" if len(drawn.panels) > 1 else ""
    meaning = drawn.meaning
    cloud = Cloud(
        name="clusters",
        title=drawn.result.now.title,
        caption=f"Colour and shape show the {named(drawn.drawing.group)} of each word{before}; "
        f"filled and hollow marks show the two clusters, which were found in all dimensions. "
        f"{meaning.summary.rstrip('.')} ({meaning.range}; {meaning.better} is better). "
        f"Each plot shows the first two principal axes of its own vectors, on the same scale. A "
        f"few words are named; point at the others to see their names. "
        f"{meaning.misleads}{_warning(drawn)}",
        panels=drawn.panels,
        x="first principal axis",
        y="second principal axis",
        group=named(drawn.drawing.group),
    )
    return plane(cloud)


_FIGURES = {"plane": _plane, "axis": _axis, "clusters": _clusters}


def figures_of(record: Record) -> tuple[Figure, ...]:
    """The figures of a record, in the order of a report."""
    figures = [
        *_recommended(record.recommendation),
        *findings(record),
        *(study_figures(record.study) if record.study else ()),
        *drawings(record, "plane"),
        *drawings(record, "axis"),
        *forests(record),
        *drawings(record, "clusters"),
        *scores(record),
        *exhibit_figures(record),
    ]
    return tuple(_named_apart(figures))


def _recommended(recommendation: Recommendation | None) -> Iterator[Figure]:
    if recommendation is not None:
        from unslant.reports.figures.recommended import recommended

        if figure := recommended(recommendation):
            yield figure


def study_figures(study: StudyPart) -> Iterator[Figure]:
    """The figures of a study: every number, the Pareto front, and correlations."""
    from unslant.reports.figures.correlations import correlations
    from unslant.reports.figures.front import front
    from unslant.reports.figures.heatmap import heatmap
    from unslant.reports.figures.ranks import ranks

    yield from heatmap(study)
    if best := front(study):
        yield best
    if ordered := ranks(study):
        yield ordered
    yield from correlations(study)


def _named_apart(figures: Iterable[Figure]) -> Iterator[Figure]:
    """The figures with a number after a name that was there before, as of lists named alike."""
    seen: Counter[str] = Counter()
    for figure in figures:
        seen[figure.name] += 1
        again = seen[figure.name]
        yield replace(figure, name=f"{figure.name}-{again}") if again > 1 else figure
