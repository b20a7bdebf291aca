"""Every figure that a record has what it takes for."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from unslant.reports.figures.clusters import clusters
from unslant.reports.figures.correlations import correlations
from unslant.reports.figures.extremes import extremes
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.forest import forest
from unslant.reports.figures.front import front
from unslant.reports.figures.heatmap import heatmap
from unslant.reports.figures.neutrality import neutrality
from unslant.reports.figures.scatter import scatter
from unslant.reports.figures.shares import shares
from unslant.reports.figures.spectrum import spectrum
from unslant.reports.kinds import AUDIT, PROBE, STUDY

Drawing = Callable[[Mapping[str, Any]], Figure | tuple[Figure, ...] | None]

_OF_AUDITS: tuple[Drawing, ...] = (scatter, extremes, forest, clusters, spectrum)
_OF_PROBES: tuple[Drawing, ...] = (neutrality, shares)
_OF_STUDIES: tuple[Drawing, ...] = (heatmap, front, correlations)

_DRAWINGS: Mapping[str, tuple[Drawing, ...]] = {
    AUDIT: _OF_AUDITS,
    PROBE: _OF_PROBES,
    STUDY: _OF_STUDIES,
}


def figures_of(record: Mapping[str, Any]) -> tuple[Figure, ...]:
    """The figures of a record, in the order of a report; none for a kind that has none."""
    figures: list[Figure] = []
    for drawing in _DRAWINGS.get(record.get("kind", ""), ()):
        done = drawing(record)
        figures += done if isinstance(done, tuple) else [done] if done else []
    return tuple(_named_apart(figures))


def _named_apart(figures: Iterable[Figure]) -> Iterator[Figure]:
    """The figures with a number after a name that was there before, as of lists named alike."""
    seen: Counter[str] = Counter()
    for figure in figures:
        seen[figure.name] += 1
        again = seen[figure.name]
        yield replace(figure, name=f"{figure.name}-{again}") if again > 1 else figure
