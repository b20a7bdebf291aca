"""The points of a result as its drawing reads them, before and now."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from unslant.core.exhibits import Point, When
from unslant.core.measurement import Measurement
from unslant.core.record import Meaning, Record, Result
from unslant.core.score import Drawing
from unslant.core.wording import named, number
from unslant.reports.figures.panels import Panel, heading

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
