"""The page of a study: the table, what goes together, who is best, what failed."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import Any

from unslant.core.files import Progress
from unslant.core.measurement import Interval, PValue
from unslant.core.plain import from_plain
from unslant.core.record import Record
from unslant.reports import grid_sheets
from unslant.reports.answers import answer
from unslant.reports.bridge import figures_of
from unslant.reports.html.shell import rendered
from unslant.reports.sheets import Sheet
from unslant.reports.words import Record as Plain

_MOST_COLUMNS = 9
_MOST_CELLS = 3_000
_MOST_LETTERS = 1_000_000
"""More than this of cells and of words is left to the study's folder, and the page says so."""


def study_page(typed: Record, progress: Progress | None = None) -> str:
    """The HTML of a study, finished or not."""
    record: Plain = getattr(typed, "_older", {})  # until studies are typed
    table, ranking, pairs = (record[key] for key in ("table", "front", "correlations"))
    word_sets, not_shown = _word_sets(record)
    return rendered(
        "study.html",
        figures_of(typed),
        progress,
        record=record,
        sentences=answer(typed),
        tables=_narrow(grid_sheets.of_table(table, 3)[0]) if table else [],
        ranking=grid_sheets.of_ranking(ranking, 3)[0] if ranking else None,
        correlations=[
            part
            for sheet in (grid_sheets.of_correlation(pairs, 2) if pairs else ())
            for part in _narrow(sheet)
        ],
        legend=grid_sheets.legend(table["columns"]) if table else [],
        cells=[_typed(cell) for cell in record["cells"][:_MOST_CELLS]],
        word_sets=word_sets,
        not_shown=not_shown,
        again=list(_again(record)),
    )


def _narrow(sheet: Sheet) -> list[Sheet]:
    """A table as several that fit on paper, each with the names of its rows."""
    columns = len(sheet.head) - sheet.names
    width = ceil(columns / ceil(columns / _MOST_COLUMNS)) if columns else 1
    return [
        replace(
            sheet,
            head=[*sheet.head[: sheet.names], *sheet.head[begin : begin + width]],
            lines=[[*line[: sheet.names], *line[begin : begin + width]] for line in sheet.lines],
        )
        for begin in range(sheet.names, len(sheet.head), width)
    ]


def _word_sets(record: Plain) -> tuple[list[tuple[list[str], Any]], int]:
    """The sets of words with the measures that used them, and how many more there are."""
    used_by: dict[str, dict[str, None]] = {key: {} for key in record["word_sets"]}
    for cell in record["cells"]:
        used_by[cell["words"]].setdefault(f"{cell['measure']} on {cell['resource']}")
    shown, letters = [], 0
    for key, uses in record["word_sets"].items():
        letters += sum(len(word) + 2 for use in uses for word in (*use["used"], *use["missing"]))
        if letters > _MOST_LETTERS:
            break
        shown.append((list(used_by[key]), uses))
    return shown, len(record["word_sets"]) - len(shown)


def _typed(cell: Plain) -> dict[str, Any]:
    interval = from_plain(Interval, cell["interval"]) if cell["interval"] else None
    return {**cell, "interval": interval, "p": from_plain(PValue, cell["p"]) if cell["p"] else None}


def _again(record: Plain) -> Iterator[tuple[str, Any]]:
    """What it takes to compute the same once more."""
    plan = record["plan"]
    yield "SHA-256 of the plan", plan["sha256"]
    for key in ("resources", "methods", "measures", "concepts", "seeds"):
        yield key, plan[key]
    for label, expression in plan["expressions"].items():
        yield f"method {label}", expression or "as they are"
    for cell in {cell["resource"]: cell for cell in record["cells"]}.values():
        yield f"SHA-256 of {cell['resource']}", cell["resource_sha256"]
    for cell in {cell["concept"]: cell for cell in record["cells"]}.values():
        yield f"SHA-256 of the words of {cell['concept']}", cell["concept_sha256"]
    yield "cells computed by", sorted({f"unslant {cell['version']}" for cell in record["cells"]})
    yield from record["provenance"].items()
