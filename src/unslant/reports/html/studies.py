"""The additional parts of a study's page: its numbers, its cells, its plan."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from unslant.core.exhibits import Table
from unslant.core.measurement import WordUse
from unslant.core.study_record import StudyCell, StudyPart
from unslant.reports import grids

Uses = tuple[WordUse, ...]
WordList = tuple[str, Uses, Uses]
"""What used these words, the words, and those before if they were others."""

_MOST_COLUMNS = 9
_MOST_CELLS = 3_000
_MOST_LETTERS = 1_000_000
"""More than this of cells and of words is left to the study's folder, and the page says so."""


@dataclass(frozen=True, kw_only=True)
class StudyTables:
    """The answers of a study as tables that fit on paper, and its first cells."""

    numbers: Sequence[Table] = ()
    legend: Sequence[str] = ()
    ranking: Table | None = None
    correlations: Sequence[Table] = ()
    cells: Sequence[StudyCell] = ()


def answer_tables(study: StudyPart) -> StudyTables:
    """The tables of a study, finished or not."""
    table, pairs = study.table, study.correlations
    return StudyTables(
        numbers=_narrow(grids.of_table(table, None)) if table else (),
        legend=grids.legend(table.columns) if table else (),
        ranking=grids.of_ranking(study.front, 3) if study.front else None,
        correlations=[
            part
            for whole in (grids.of_correlation(pairs, 2) if pairs else ())
            for part in _narrow(whole)
        ],
        cells=study.cells[:_MOST_CELLS],
    )


def _narrow(table: Table) -> list[Table]:
    """A table as several that fit on paper, each with the names of its rows."""
    names, size = table.names, len(table.columns)
    parts = ceil((size - names) / _MOST_COLUMNS)
    width = ceil((size - names) / parts) if parts else 1
    return [
        replace(
            table,
            columns=(*table.columns[:names], *table.columns[begin : begin + width]),
            rows=tuple((*row[:names], *row[begin : begin + width]) for row in table.rows),
            best=frozenset(
                (row, place - begin + names)
                for row, place in table.best
                if begin <= place < begin + width
            ),
        )
        for begin in range(names, size, width)
    ]


def word_lists(study: StudyPart) -> Iterator[WordList]:
    """The sets of words with the measures that used them, as many as a page has room for."""
    used_by: dict[str, dict[str, None]] = {key: {} for key in study.word_sets}
    for cell in study.cells:
        used_by[cell.words].setdefault(f"{cell.measure} on {cell.resource}")
    letters = 0
    for place, (key, uses) in enumerate(study.word_sets.items()):
        letters += sum(len(word) + 2 for use in uses for word in (*use.used, *use.missing))
        if letters > _MOST_LETTERS:
            more = len(study.word_sets) - place
            yield (
                f"{more} more word lists would make this page too long: unslant study show",
                (),
                (),
            )
            return
        if uses:
            yield "; ".join(used_by[key]), uses, ()


def facts(study: StudyPart) -> Iterator[tuple[str, object]]:
    """What is needed to compute the study again, in addition to the plan's hash."""
    plan = study.plan
    for name in ("resources", "methods", "measures", "concepts", "seeds"):
        yield name, list(getattr(plan, name))
    for label, expression in plan.expressions.items():
        yield f"method {label}", expression or "as they are"
    for cell in {cell.resource: cell for cell in study.cells}.values():
        yield f"SHA-256 of {cell.resource}", cell.resource_sha256
    for cell in {cell.concept: cell for cell in study.cells}.values():
        yield f"SHA-256 of the words of {cell.concept}", cell.concept_sha256
    yield "cells computed by", sorted({f"unslant {cell.version}" for cell in study.cells})
