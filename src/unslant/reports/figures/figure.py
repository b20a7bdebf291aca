"""A figure: a chart with its title, how to read it, and what it shows in words."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unslant.core.exhibits import Point, When
from unslant.core.record import Record
from unslant.core.visible import visible
from unslant.reports.figures.values import shortened


@dataclass(frozen=True, eq=False, kw_only=True)
class Figure:
    """A chart that can be put on a page or into a paper.

    ``name`` is unique among the figures of a record and fit for a file name. ``caption`` says how
    to read it and when it misleads; ``description`` is its text for screen readers.
    ``chart`` is an Altair chart without configuration or title; one that ``is_narrow`` fits next to
    the verdict. Invisible characters in any text
    of it are written out, so those who draw need not think of them.
    """

    name: str
    title: str
    caption: str
    description: str
    chart: Any
    is_narrow: bool = False

    def __post_init__(self) -> None:
        for text in ("title", "caption", "description"):
            object.__setattr__(self, text, visible(getattr(self, text)))

    def facts(self) -> dict[str, Any]:
        """The texts around the chart, by name."""
        return {name: getattr(self, name) for name in ("name", "title", "caption", "description")}

    def spec(self) -> dict[str, Any]:
        """The chart in Vega-Lite, without theme and without title, as pages show it."""
        return self._plain | {"description": self.description}

    @cached_property
    def _plain(self) -> dict[str, Any]:
        # The tests hold every kind of figure against the schema, which takes longer than drawing.
        plain: dict[str, Any] = self.chart.to_dict(validate=False)
        # Altair's own theme would fix sizes and colours that ours has to set.
        plain.pop("config", None)
        shown: dict[str, Any] = _visible(plain)
        return shown

    def _repr_html_(self) -> str:
        """Notebook view: a picture that needs neither script nor network."""
        from unslant.reports.html.notebook import figure_html

        return figure_html(self)


def _visible(plain: Any, key: str = "") -> Any:
    """The same with every text visible: a control character in one would abort the process.

    Vega-Lite puts titles of axes into expressions, in which a backslash and what follows would
    become that character again; a sign that looks like it does not.
    """
    if isinstance(plain, str):
        return visible(plain).replace("\\", "\N{SET MINUS}") if key == "title" else visible(plain)
    if isinstance(plain, dict):
        return {name: _visible(value, name) for name, value in plain.items()}
    is_several = isinstance(plain, list | tuple)  # rows of data are a tuple
    return [_visible(value, key) for value in plain] if is_several else plain


# The data of a figure of points: adjacent panels, before and now.


@dataclass(frozen=True, eq=False)
class Panel:
    """The points of one part of a figure.

    ``facts`` are shown below its heading. ``clusters`` are the cluster of each point, if there
    are any.
    """

    heading: str
    points: tuple[Point, ...]
    when: When = "now"
    part: str = ""
    facts: str = ""
    clusters: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Cloud:
    """Panels that share their axes. ``ends`` are as those of ``core.exhibits.Points``."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    x: str
    y: str = ""
    ends: tuple[str, str] | None = None
    group: str = "group"

    @property
    def is_compared(self) -> bool:
        """Whether some of it was measured before and some is as it is now."""
        return len({panel.when for panel in self.panels}) > 1


def heading(record: Record, when: When, *, is_pair: bool, part: str = "") -> str:
    """Above a panel: before or after, with the name of the resource or of the panel's part."""
    resource = record.baseline if when == "before" else record.resource
    name = part or (resource.name if resource else "")
    said = ("before" if when == "before" else "after") if is_pair else ""
    return ": ".join(text for text in (said, shortened(name, 44 if part else 34)) if text)
