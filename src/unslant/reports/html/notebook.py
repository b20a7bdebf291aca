"""Records and figures as notebooks show them: without script, every word escaped."""

from collections.abc import Iterator

from unslant.reports import grid_sheets, words
from unslant.reports.answers import answer
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import figures_of
from unslant.reports.html.shell import environment
from unslant.reports.html.stills import still
from unslant.reports.kinds import STUDY
from unslant.reports.sheets import Item, Sheet
from unslant.reports.words import Record, number

_FIGURES = 2
_ROWS = 30


def notebook_html(record: Record) -> str:
    """The answer, the first figures and the main numbers of a record."""
    table = _study(record) if record["kind"] == STUDY else _measures(record)
    return (
        environment()
        .get_template("notebook.html")
        .render(
            sentences=answer(record),
            pictures=[(figure, still(figure)) for figure in figures_of(record)[:_FIGURES]],
            table=table,
            rows=_ROWS,
        )
    )


def figure_html(figure: Figure) -> str:
    """The picture of a figure with its title and caption."""
    template = environment().get_template("notebook.html")
    return template.render(sentences=[], pictures=[(figure, still(figure))], table=None, rows=0)


def _study(record: Record) -> Sheet | None:
    return grid_sheets.of_table(record["table"], 3)[0] if record["table"] else None


def _measures(record: Record) -> Sheet:
    has_before = bool(record["before"])
    head = ["measure", "value", "95 % interval", *(["before"] if has_before else []), "p", "better"]
    return Sheet(title="", head=head, lines=list(_lines(record, has_before)), ends_in_text=True)


def _lines(record: Record, has_before: bool) -> Iterator[list[Item]]:
    for item in record["measurements"]:
        texts = [f"{item['metric']}: {item['title']}", number(item["value"])]
        texts.append(words.interval(item, 3))
        if has_before:
            texts.append(words.before(record, item, 3))
        texts += [words.p_value(item["p"]) if item["p"] else "", item["better"]]
        yield [Item(text) for text in texts]
