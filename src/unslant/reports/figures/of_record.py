"""Every figure that a record has the data for."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from unslant.core.record import Record
from unslant.reports.figures.drawings import drawings
from unslant.reports.figures.exhibits import exhibit_figures
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.forest import forests
from unslant.reports.figures.scores import scores


def figures_of(record: Record) -> tuple[Figure, ...]:
    """The figures of a record, in the order of a report."""
    figures = [
        *drawings(record, "plane"),
        *drawings(record, "axis"),
        *forests(record),
        *drawings(record, "clusters"),
        *scores(record),
        *exhibit_figures(record),
    ]
    return tuple(_named_apart(figures))


def _named_apart(figures: Iterable[Figure]) -> Iterator[Figure]:
    """The figures with a number after a name that was there before, as of lists named alike."""
    seen: Counter[str] = Counter()
    for figure in figures:
        seen[figure.name] += 1
        again = seen[figure.name]
        yield replace(figure, name=f"{figure.name}-{again}") if again > 1 else figure
