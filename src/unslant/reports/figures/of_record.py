"""Every figure that a record has the data for."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from unslant.core.recommendation import Recommendation
from unslant.core.record import Record
from unslant.core.study_record import StudyPart
from unslant.reports.figures.drawings import drawings
from unslant.reports.figures.exhibits import exhibit_figures
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.findings import findings
from unslant.reports.figures.forest import forests
from unslant.reports.figures.scores import scores


def figures_of(record: Record) -> tuple[Figure, ...]:
    """The figures of a record, in the order of a report."""
    figures = [
        *_recommended(record.recommendation),
        *findings(record),
        *(study_figures(record.study) if record.study else ()),
        *drawings(record, "plane"),
        *drawings(record, "axis"),
        *forests(record),
        *drawings(record, "clusters"),
        *scores(record),
        *exhibit_figures(record),
    ]
    return tuple(_named_apart(figures))


def _recommended(recommendation: Recommendation | None) -> Iterator[Figure]:
    if recommendation is not None:
        from unslant.reports.figures.recommended import recommended

        if figure := recommended(recommendation):
            yield figure


def study_figures(study: StudyPart) -> Iterator[Figure]:
    """The figures of a study: every number, the Pareto front, and correlations."""
    from unslant.reports.figures.correlations import correlations
    from unslant.reports.figures.front import front
    from unslant.reports.figures.heatmap import heatmap
    from unslant.reports.figures.ranks import ranks

    yield from heatmap(study)
    if best := front(study):
        yield best
    if ordered := ranks(study):
        yield ordered
    yield from correlations(study)


def _named_apart(figures: Iterable[Figure]) -> Iterator[Figure]:
    """The figures with a number after a name that was there before, as of lists named alike."""
    seen: Counter[str] = Counter()
    for figure in figures:
        seen[figure.name] += 1
        again = seen[figure.name]
        yield replace(figure, name=f"{figure.name}-{again}") if again > 1 else figure
