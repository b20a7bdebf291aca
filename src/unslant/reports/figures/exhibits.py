"""Figures of a record's exhibits: points, shares, curves and grids."""

from collections.abc import Iterable, Iterator, Sequence

from unslant.core.exhibits import Curves, Grid, Points, Shares
from unslant.core.record import Record
from unslant.reports.figures.bars import bars
from unslant.reports.figures.curves import curves
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.grid import grid
from unslant.reports.figures.panels import Cloud, Panel, heading
from unslant.reports.figures.planes import plane
from unslant.reports.figures.shares import shares
from unslant.reports.figures.upright import fits_upright, upright
from unslant.reports.figures.values import slug

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
