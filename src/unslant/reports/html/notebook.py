"""Records and figures as notebooks show them: without script, every word escaped."""

from unslant.core.exhibits import Table
from unslant.core.record import Record
from unslant.reports import tables
from unslant.reports.answers import answer
from unslant.reports.figures.export import still
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import figures_of
from unslant.reports.grids import of_table
from unslant.reports.html.shell import environment

_FIGURES = 2
_ROWS = 30


def notebook_html(record: Record) -> str:
    """The answer, the first figures and the main numbers of a record."""
    return _rendered(answer(record), figures_of(record)[:_FIGURES], _numbers(record))


def figure_html(figure: Figure) -> str:
    """The picture of a figure with its title and caption."""
    return _rendered((), (figure,), None)


def _rendered(sentences: tuple[str, ...], figures: tuple[Figure, ...], table: Table | None) -> str:
    return (
        environment()
        .get_template("notebook.html")
        .render(
            sentences=sentences,
            pictures=[(figure, still(figure)) for figure in figures],
            table=table,
            rows=_ROWS,
        )
    )


def _numbers(record: Record) -> Table | None:
    if record.study is None:
        return tables.results_table(record, record.results, tables.SHORT)
    if record.study.table is None:
        return None
    return of_table(record.study.table, None)
