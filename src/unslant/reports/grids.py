"""The answers of a study as text: tables, correlations, rankings and differences."""

import csv
import io
import json
from collections.abc import Iterable, Sequence

from rich.console import RenderableType

from unslant.core.errors import UnknownNameError
from unslant.core.plain import to_plain
from unslant.core.study_best import BestByLevel
from unslant.core.study_record import Correlations, StudyAnswer, StudyDifference, StudyTable
from unslant.core.visible import safe_cell
from unslant.reports import (
    grid_best,
    grid_columns,
    grid_difference,
    grid_sheets,
    sheet_tables,
    sheets,
)

FORMS = ("csv", "markdown", "latex", "json")


def grid_tables(answer: StudyAnswer, digits: int | None = None) -> RenderableType:
    """An answer as tables in the terminal, with what it lacks behind them."""
    return sheet_tables.terminal(*_parts(answer, digits))


def grid_text(answer: StudyAnswer, form: str, digits: int | None = None) -> str:
    """An answer as ``csv``, ``markdown``, ``latex`` or ``json``.

    The first and the last have every digit; ``digits`` is for those that people read. Without it
    each measure of a table has its own number of digits, and other answers have three.
    """
    if form == "json":
        return json.dumps(to_plain(answer), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    if form == "csv":
        return _csv(_lines(answer))
    if form == "markdown":
        return sheets.markdown(*_parts(answer, digits))
    if form == "latex":
        return sheets.latex(*_parts(answer, digits))
    raise UnknownNameError("format", form, FORMS)


def _lines(answer: StudyAnswer) -> Iterable[Sequence[object]]:
    if isinstance(answer, StudyTable):
        return grid_columns.of_table(answer)
    if isinstance(answer, Correlations):
        return grid_columns.of_correlation(answer)
    if isinstance(answer, StudyDifference):
        return grid_columns.of_difference(answer)
    if isinstance(answer, BestByLevel):
        return grid_best.best_columns(answer)
    return grid_columns.of_ranking(answer)


def _parts(
    answer: StudyAnswer, given: int | None
) -> tuple[list[sheets.Sheet], Sequence[str], Sequence[str]]:
    """The tables, the sentences before them and the notes behind them."""
    digits = 3 if given is None else given
    if isinstance(answer, StudyDifference):
        return grid_difference.of_difference(answer, digits), grid_difference.summary(answer), ()
    if isinstance(answer, BestByLevel):
        return grid_best.of_best(answer, digits), (), answer.notes
    if isinstance(answer, Correlations):
        return grid_sheets.of_correlation(answer, digits), answer.sentences, answer.notes
    if isinstance(answer, StudyTable):
        found, legend = grid_sheets.of_table(answer, given), grid_sheets.legend(answer.columns)
    else:
        found, legend = grid_sheets.of_ranking(answer, digits), grid_sheets.legend(answer.measures)
    return found, (), [*legend, *answer.notes]


def _csv(lines: Iterable[Sequence[object]]) -> str:
    """Numbers as they are, text as no spreadsheet takes for a formula, nothing for None."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for line in lines:
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in line])
    return stream.getvalue()
