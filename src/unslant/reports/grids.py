"""The answers of a study as text: tables, correlations, rankings and differences."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import RenderableType

from unslant.core.errors import UnknownNameError
from unslant.core.spreadsheets import safe_cell
from unslant.reports import grid_columns, grid_difference, grid_sheets, sheet_tables, sheets
from unslant.reports.words import Record

FORMS = ("csv", "markdown", "latex", "json")

_SHEETS: Mapping[str, Callable[[Record, int], list[sheets.Sheet]]] = {
    "table": grid_sheets.of_table,
    "correlation": grid_sheets.of_correlation,
    "ranking": grid_sheets.of_ranking,
    "difference": grid_difference.of_difference,
}
_COLUMNS: Mapping[str, Callable[[Record], Iterable[Sequence[object]]]] = {
    "table": grid_columns.of_table,
    "correlation": grid_columns.of_correlation,
    "ranking": grid_columns.of_ranking,
    "difference": grid_columns.of_difference,
}


def grid_tables(record: Record, digits: int = 3) -> RenderableType:
    """An answer as tables in the terminal, with what it lacks behind them."""
    return sheet_tables.terminal(*_parts(record, digits))


def grid_text(record: Record, form: str, digits: int = 3) -> str:
    """An answer as ``csv``, ``markdown``, ``latex`` or ``json``.

    The first and the last have every digit; ``digits`` is for those that people read.
    """
    if form == "json":
        return json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    if form == "csv":
        return _csv(_COLUMNS[record["answer"]](record))
    if form == "markdown":
        return sheets.markdown(*_parts(record, digits))
    if form == "latex":
        return sheets.latex(*_parts(record, digits))
    raise UnknownNameError("format", form, FORMS)


def _parts(record: Record, digits: int) -> tuple[list[sheets.Sheet], list[str], list[str]]:
    if record["answer"] == "difference":
        return grid_difference.of_difference(record, digits), grid_difference.summary(record), []
    found = _SHEETS[record["answer"]](record, digits)
    arrows = {"table": "columns", "ranking": "measures"}.get(record["answer"])
    legend = grid_sheets.legend(record[arrows]) if arrows else []
    return found, list(record.get("sentences", ())), [*legend, *record["notes"]]


def _csv(lines: Iterable[Sequence[object]]) -> str:
    """Numbers as they are, text as no spreadsheet takes for a formula, nothing for None."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for line in lines:
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in line])
    return stream.getvalue()
