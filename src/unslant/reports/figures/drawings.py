"""Figures of the points of results, as the glossary says that they are drawn."""

from collections.abc import Iterator

from unslant.core.record import Record
from unslant.core.score import Drawing
from unslant.core.wording import capital, named
from unslant.reports.figures.bars import bars
from unslant.reports.figures.drawn_points import DrawnPoints
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.panels import Cloud
from unslant.reports.figures.planes import plane
from unslant.reports.figures.values import shortened, slug

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
