"""The data of a figure of points: adjacent panels, before and now."""

from dataclasses import dataclass

from unslant.core.exhibits import Point, When
from unslant.core.record import Record
from unslant.reports.figures.values import shortened


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
