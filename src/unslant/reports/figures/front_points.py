"""The rows of a study by two measures, and the Pareto front."""

from collections.abc import Sequence
from dataclasses import dataclass

from unslant.core.better import Better
from unslant.core.study_record import Front, Key, StudyPart, StudyTable, TableCell
from unslant.core.wording import number
from unslant.reports.figures.study_values import originals, span

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
