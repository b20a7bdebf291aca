"""The figures of a record; those of studies from the plain record, until studies are typed."""

from unslant.core.record import Record
from unslant.reports.figures import of_record
from unslant.reports.figures.correlations import correlations
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.front import front
from unslant.reports.figures.heatmap import heatmap


def figures_of(record: Record) -> tuple[Figure, ...]:
    """The figures in the order of a report."""
    if record.about != "study":
        return of_record.figures_of(record)
    plain = getattr(record, "_older", {})
    figures: list[Figure] = []
    for drawing in (heatmap, front, correlations):
        done = drawing(plain)
        figures += done if isinstance(done, tuple) else [done] if done else []
    return tuple(figures)
