"""A record as the page shows it: sentences, figures and tables, as plain JSON.

Every text is data. The page puts it into the document as text, so nothing is escaped here;
characters that would hide or turn other text are written out.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unslant.core.comparison import why_not_comparable
from unslant.reports import words
from unslant.reports.answers import answer
from unslant.reports.figures.association import association
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import figures_of
from unslant.reports.kinds import AUDIT, STUDY
from unslant.reports.words import Record, visible

Plain = dict[str, Any]


def shown(record: Record) -> Plain:
    """What a page shows of a record, whatever its kind."""
    kind = record["kind"]
    tables: list[Plain] = []
    notes: list[str] = []
    sentences = [visible(sentence) for sentence in answer(record)]
    if kind == AUDIT:
        tables, notes = list(_audit_tables(record)), _audit_notes(record)
        if record["debiasing"]:
            sentences += words.movement(record)
    elif kind == STUDY:
        tables = [_study_table(record)] if record["table"] else []
        notes = [f"{item['what']}: {item['why']}" for item in record["left_out"]]
    return {
        "kind": kind,
        "sentences": sentences,
        "figures": drawn(figures_of(record)),
        "tables": tables,
        "notes": [visible(note) for note in notes],
    }


def drawn(figures: Iterable[Figure]) -> list[Plain]:
    """Figures with what is written around them."""
    return [
        {
            "name": figure.name,
            "title": figure.title,
            "caption": figure.caption,
            "description": figure.description,
            "spec": figure.spec(),
        }
        for figure in figures
    ]


def shown_association(record: Record) -> Plain:
    """The association of a page's own words: figures, a table and every word left out."""
    tables = []
    for contrast in record["contrasts"]:
        against = " and ".join(visible(name) for name in contrast["against"])
        items = [*contrast["words"], {"word": "mean of the list", **contrast["mean"]}]
        tables.append(
            _table(
                f"Nearer to {visible(contrast['group'])} (above 0) or to {against} (below 0)",
                [("word", False), ("association", True), ("95 % interval", True)],
                [
                    [visible(item["word"]), words.number(item["value"]), _interval(item)]
                    for item in items
                ],
            )
        )
    missing = {
        visible(use["set"]): [visible(word) for word in use["missing"]]
        for use in record["words"]
        if use["missing"]
    }
    return {
        "figures": drawn(association(record)),
        "tables": tables,
        "missing": missing,
        "notes": [visible(note) for note in record["warnings"]],
        "record": record,
    }


def _interval(item: Mapping[str, Any]) -> str:
    if item["low"] is None:
        return "none"
    return f"{words.number(item['low'])} to {words.number(item['high'])}"


def _table(title: str, columns: Sequence[tuple[str, bool]], rows: Sequence[Sequence[Any]]) -> Plain:
    """Columns say whether they hold numbers, which stand to the right."""
    return {
        "title": title,
        "columns": [{"name": name, "is_number": is_number} for name, is_number in columns],
        "rows": [list(row) for row in rows],
    }


def _audit_tables(record: Record) -> Iterable[Plain]:
    if not record["measurements"]:
        return
    has_before = bool(record["before"])
    columns = [("measure", False)]
    columns += [(name, True) for name in _sides(record)] if has_before else [("value", True)]
    its = "its " if has_before else ""
    columns += [(f"{its}95 % interval", True), (f"{its}p", True)]
    columns += [("better", False), ("words", True)]
    columns += [("comparable", False)] if has_before else []
    yield _table(
        f"Measures{' side by side' if has_before else ''}",
        columns,
        [_measure_row(record, item, has_before) for item in record["measurements"]],
    )


def _sides(record: Record) -> tuple[str, str]:
    if record["debiasing"]:
        return "before", "after"
    return visible(record["baseline"]["name"]), visible(record["vectors"]["name"])


def _measure_row(record: Record, item: Record, has_before: bool) -> list[str]:
    row = [visible(words.short(item))]
    other = words.baseline_of(record, item) if has_before else None
    if has_before:
        row.append(words.number(other["value"]) if other else "–")
    row.append(words.number(item["value"]))
    row += [words.interval(item, 3), words.p_value(item["p"]) if item["p"] else ""]
    row += [item["better"], words.words_used(item["words"])]
    if has_before:
        why = why_not_comparable(item, other) if other else "not measured in the first"
        row.append(visible(f"≠ {why}") if why else "yes")
    return row


def _audit_notes(record: Record) -> list[str]:
    notes = [f"{item['what']}: {item['why']}" for item in record["left_out"]]
    missing = words.missing_words(record)
    if missing:
        notes.insert(0, f"Not in the vectors and left out: {', '.join(missing)}.")
    undefined = [item for item in record["measurements"] if item["value"] is None]
    notes += [f"{words.short(item)} has no value: {item['why_undefined']}" for item in undefined]
    for stage in (record["debiasing"] or {}).get("stages", ()):
        notes += [f"{stage['expression']}: {warning}" for warning in stage["warnings"]]
    return notes


def _study_table(record: Record) -> Plain:
    found = record["table"]
    columns = [("vectors", False), ("method", False)]
    columns += [(visible(str(column["label"])), True) for column in found["columns"]]
    rows = [
        [*(visible(str(key)) for key in row["key"]), *(_study_cell(cell) for cell in row["cells"])]
        for row in found["rows"]
    ]
    return _table("Every cell of the study", columns, rows)


def _study_cell(cell: Record) -> Any:
    """A value with the ids that lead to its record, or what became of it."""
    if cell["state"] != "done":
        return cell["state"] if cell["state"] != "unasked" else ""
    mark = " ≠" if cell.get("other_words") else ""
    return {"text": f"{words.number(cell['value'])}{mark}", "cells": list(cell["ids"])}
