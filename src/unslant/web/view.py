"""A record as the page shows it: sentences, figures and tables, as plain JSON.

Every text is data. The page puts it into the document as text, so nothing is escaped here;
characters that would hide or turn other text are written out.
"""

import json
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core import wording
from unslant.core.exhibits import Point, Points, Table
from unslant.core.record import Record
from unslant.core.study_record import StudyTable, TableCell
from unslant.core.verdicts import judged
from unslant.core.visible import visible
from unslant.reports import tables
from unslant.reports.answers import answer
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.findings import SUMMARY
from unslant.reports.figures.of_record import figures_of
from unslant.reports.results import brief_name, missing_words

Plain = dict[str, Any]


def shown(record: Record) -> Plain:
    """The page's view of any record; the verdict is the first sentence.

    ``lead`` names the figure shown with the verdict, if there is one.
    """
    record = judged(record)
    sentences = list(answer(record))
    if record.treatment and record.treatment.movement:
        sentences += wording.movement(record.treatment.movement)
    figures = list(figures_of(record))
    return {
        "kind": record.about,
        "verdict": visible(record.conclusion.sentence) if record.conclusion else "",
        "warnings": [visible(warning) for warning in record.warnings],
        "sentences": [visible(sentence) for sentence in sentences],
        "figures": drawn(figures),
        "lead": figures[0].name if figures and figures[0].is_narrow else "",
        "tables": list(_tables(record)),
        "notes": [visible(note) for note in _notes(record)],
    }


def drawn(figures: Iterable[Figure]) -> list[Plain]:
    """Figures with what is written around them."""
    return [{**figure.facts(), "spec": figure.spec()} for figure in figures]


def shown_association(record: Record) -> Plain:
    """The association of a page's own words: figures, tables and every word left out."""
    uses = record.results[0].now.words if record.results else ()
    plain = shown(record)
    if plain["verdict"]:  # the user's own words are not a test with a judged strength
        plain |= {"verdict": "", "sentences": plain["sentences"][1:]}
    figures = [figure for figure in plain["figures"] if figure["name"] != SUMMARY]
    return {
        **plain,
        "figures": figures,
        "lead": "",
        "warnings": [],
        "missing": {
            visible(use.set): [visible(word) for word in use.missing] for use in uses if use.missing
        },
        "notes": [visible(note) for note in record.warnings],
        "record": record.to_dict(),
    }


def _points(part: Points) -> Plain:
    return _plain_table(
        f"Above 0: {part.ends[0]}; below 0: {part.ends[1]}" if part.ends else part.title,
        [("word", False), ("association", True), ("95 % interval", True)],
        [[point.label, wording.number(point.x), _ends(point)] for point in part.points],
        [[point.label, point.x, _ends(point)] for point in part.points],
    )


def _ends(point: Point) -> str:
    if point.low is None or point.high is None:
        return "none"
    return wording.span(point.low, point.high)


def _tables(record: Record) -> Iterator[Plain]:
    if record.study is not None:
        if record.study.table is not None:
            yield _study_table(record.study.table)
        return
    if record.about == "association":
        for part in record.exhibits:
            if isinstance(part, Points):
                yield _points(part)
        return
    if record.results:
        title = "Measures side by side" if record.baseline else "Measures"
        yield _table(tables.results_table(record, record.results, tables.WEB, title=title))
    for table in tables.exhibit_tables(record):
        yield _table(table)


def _table(table: Table) -> Plain:
    return _plain_table(
        table.title,
        [(column.label, not column.is_text) for column in table.columns],
        table.texts(),
        table.rows,
    )


def _plain_table(
    title: str,
    columns: Sequence[tuple[str, bool]],
    rows: Sequence[Sequence[Any]],
    values: Sequence[Sequence[Any]],
) -> Plain:
    """Columns declare whether they hold numbers, which are right-aligned.

    ``values`` are what the rows are sorted by and saved as, numbers in full.
    """
    return {
        "title": visible(title),
        "columns": [{"name": visible(name), "is_number": is_number} for name, is_number in columns],
        "rows": _seen(rows),
        "values": _seen(values),
    }


def _seen(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [[visible(it) if isinstance(it, str) else it for it in row] for row in rows]


def _notes(record: Record) -> Iterator[str]:
    missing = missing_words(record)
    if missing:
        yield f"Missing from the vectors: {', '.join(missing)}."
    yield from (f"{item.what}: {item.why}" for item in record.left_out)
    for item in (result.now for result in record.results):
        if item.value is None:
            yield f"{brief_name(item)} has no value: {item.why_undefined}"
    for stage in record.treatment.stages if record.treatment else ():
        yield from (f"{stage.expression}: {warning}" for warning in stage.warnings)


def _study_table(found: StudyTable) -> Plain:
    columns = [("vectors", False), ("method", False)]
    columns += [(visible(column.label), True) for column in found.columns]
    rows = [
        [*(visible(str(key)) for key in row.key), *(_study_cell(cell) for cell in row.cells)]
        for row in found.rows
    ]
    values = [
        [*(visible(str(key)) for key in row.key), *(cell.value for cell in row.cells)]
        for row in found.rows
    ]
    return _plain_table("Every cell of the study", columns, rows, values)


def _study_cell(cell: TableCell) -> Any:
    """A value with the ids that lead to its record, or what became of it."""
    if cell.state != "done":
        return cell.state if cell.state != "unasked" else ""
    mark = " ≠" if cell.other_words else ""
    return {"text": f"{wording.number(cell.value)}{mark}", "cells": list(cell.ids)}


# Results of jobs: a record with the page's view of it, or a file to download.

MOST_FILES = 6
MOST_BYTES = 4 << 30
"""The newest file is kept even if it exceeds the limit."""


@dataclass(frozen=True, eq=False)
class PageResult:
    """A record and the JSON of what the page shows of it."""

    record: Record
    shown: bytes


@dataclass(frozen=True, eq=False)
class Told:
    """Something for the page alone, without a record."""

    shown: bytes


@dataclass(frozen=True, eq=False)
class Written:
    """A file that was made for downloading, and the name to save it under."""

    path: Path
    name: str

    def is_there(self) -> bool:
        """Whether the file has not been removed to make room."""
        return self.path.exists()


def result_of(record: Record, **instead: Any) -> PageResult:
    """A record with what the page shows of it, drawn; parts of that may be given instead."""
    return PageResult(record, json.dumps({**shown(record), **instead}, allow_nan=False).encode())


def told(value: Mapping[str, Any]) -> Told:
    """The page's view, as JSON."""
    return Told(json.dumps(value, allow_nan=False).encode())


class Files:
    """The files of a server, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sizes: dict[Path, int] = {}
        self._lock = threading.Lock()

    def written(self, name: str, ending: str, write: Callable[[Path], None]) -> Written:
        """Write a file under an unguessable name, then evict others to stay within the limit."""
        path = self._folder / f"{secrets.token_hex(8)}{ending}"
        write(path)
        with self._lock:
            self._sizes[path] = path.stat().st_size
            while len(self._sizes) > 1 and (
                len(self._sizes) > MOST_FILES or sum(self._sizes.values()) > MOST_BYTES
            ):
                oldest = next(iter(self._sizes))
                del self._sizes[oldest]
                oldest.unlink(missing_ok=True)
        return Written(path, f"{name}{ending}")
