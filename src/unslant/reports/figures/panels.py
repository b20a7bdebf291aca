"""Before and after, side by side: which measurements stand next to each other in a figure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unslant.core.comparison import why_not_comparable
from unslant.reports.figures.values import shortened, shown
from unslant.reports.words import baseline_of

Record = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Panel:
    """A measurement with the heading of its part of a figure."""

    heading: str
    measurement: Record
    is_before: bool = False


def not_comparable(item: Record, other: Record | None) -> str:
    """Why a value and that of the baseline may not be compared; nothing where they may."""
    return (why_not_comparable(item, other) or "") if other else ""


def warning(item: Record, other: Record | None) -> str:
    """What a caption says where the two may not be compared, after a space; else nothing."""
    why = not_comparable(item, other)
    return f" ≠ Before and after do not compare fully: {shown(why)}." if why else ""


def panels(record: Record, item: Record) -> list[Panel]:
    """The measurement, after that of the baseline where there is one, each where it has points."""
    both = [(baseline_of(record, item), "baseline", True), (item, "vectors", False)]
    is_pair = both[0][0] is not None
    return [
        Panel(_heading(record, key, is_before, is_pair), measurement, is_before)
        for measurement, key, is_before in both
        if measurement is not None and measurement["points"]
    ]


def _heading(record: Record, key: str, is_before: bool, is_pair: bool) -> str:
    name = shortened(record[key]["name"], 34) if record.get(key) else ""
    when = ("before" if is_before else "after") if is_pair else ""
    return f"{when}: {name}" if when and name else when or name
