"""The page of a study: the table, what goes together, who is best, what failed."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from unslant.core.files import Progress
from unslant.core.measurement import WordUse
from unslant.core.record import Record
from unslant.core.study_record import StudyPart
from unslant.reports import grid_sheets
from unslant.reports.answers import answer
from unslant.reports.figures.of_record import figures_of
from unslant.reports.html.shell import rendered
from unslant.reports.sheets import Sheet

_MOST_COLUMNS = 9
_MOST_CELLS = 3_000
_MOST_LETTERS = 1_000_000
"""More than this of cells and of words is left to the study's folder, and the page says so."""


def study_page(record: Record, progress: Progress | None = None) -> str:
    """The HTML of a study, finished or not."""
    study = record.study
    assert study is not None, "only records about a study have this page"
    table, ranking, pairs = study.table, study.front, study.correlations
    word_sets, not_shown = _word_sets(study)
    return rendered(
        "study.html",
        figures_of(record),
        progress,
        record=record,
        study=study,
        sentences=answer(record),
        tables=_narrow(grid_sheets.of_table(table, 3)[0]) if table else [],
        ranking=grid_sheets.of_ranking(ranking, 3)[0] if ranking else None,
        correlations=[
            part
            for sheet in (grid_sheets.of_correlation(pairs, 2) if pairs else ())
            for part in _narrow(sheet)
        ],
        legend=grid_sheets.legend(table.columns) if table else [],
        cells=study.cells[:_MOST_CELLS],
        word_sets=word_sets,
        not_shown=not_shown,
        again=list(_again(record, study)),
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


def _word_sets(study: StudyPart) -> tuple[list[tuple[list[str], tuple[WordUse, ...]]], int]:
    """The sets of words with the measures that used them, and how many more there are."""
    used_by: dict[str, dict[str, None]] = {key: {} for key in study.word_sets}
    for cell in study.cells:
        used_by[cell.words].setdefault(f"{cell.measure} on {cell.resource}")
    shown, letters = [], 0
    for key, uses in study.word_sets.items():
        letters += sum(len(word) + 2 for use in uses for word in (*use.used, *use.missing))
        if letters > _MOST_LETTERS:
            break
        shown.append((list(used_by[key]), uses))
    return shown, len(study.word_sets) - len(shown)


def _again(record: Record, study: StudyPart) -> Iterator[tuple[str, object]]:
    """What it takes to compute the same once more."""
    plan = study.plan
    yield "SHA-256 of the plan", record.subject.sha256
    yield "resources", list(plan.resources)
    yield "methods", list(plan.methods)
    yield "measures", list(plan.measures)
    yield "concepts", list(plan.concepts)
    yield "seeds", list(plan.seeds)
    for label, expression in plan.expressions.items():
        yield f"method {label}", expression or "as they are"
    for cell in {cell.resource: cell for cell in study.cells}.values():
        yield f"SHA-256 of {cell.resource}", cell.resource_sha256
    for cell in {cell.concept: cell for cell in study.cells}.values():
        yield f"SHA-256 of the words of {cell.concept}", cell.concept_sha256
    yield "cells computed by", sorted({f"unslant {cell.version}" for cell in study.cells})
    yield from record.provenance.items()
