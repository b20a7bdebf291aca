"""The page of an audit: the answer, figures, tables, every word, what the measures mean."""

import json
from collections.abc import Iterator
from typing import Any

from unslant.core.comparison import why_not_comparable
from unslant.core.files import Progress
from unslant.reports import words
from unslant.reports.answers import answer
from unslant.reports.figures.of_record import figures_of
from unslant.reports.html.shell import rendered
from unslant.reports.words import Record


def audit_page(record: Record, progress: Progress | None = None) -> str:
    """The HTML of an audit, alone or before and after."""
    return rendered(
        "audit.html",
        figures_of(record),
        progress,
        record=record,
        sentences=answer(record),
        word_lists=list(_word_lists(record)),
        again=list(_again(record)),
    )


def _word_lists(record: Record) -> Iterator[tuple[str, list[Record], list[Record]]]:
    """The words of each measurement, and those before where they were others.

    Measures of the same test mostly use the same words, which then stand there once.
    """
    befores = [words.baseline_of(record, item) for item in record["measurements"]]
    alike: dict[str, list[tuple[Record, Record | None]]] = {}
    for item, before in zip(record["measurements"], befores, strict=True):
        is_test = record["metrics"][item["metric"]]["takes"] == "test"
        of = item["parameters"]["subject"] if is_test else f"{item['metric']}: {item['title']}"
        key = json.dumps([of, item["words"], before and before["words"]])
        alike.setdefault(key, []).append((item, before))
    for pairs in alike.values():
        item, before = pairs[0]
        names = ", ".join(dict.fromkeys(one["metric"] for one, _ in pairs))
        is_other = before is not None and why_not_comparable(item, before) is not None
        if item["words"]:
            yield (
                f"{names}: {item['title']} ({words.words_used(item['words'])} words)",
                item["words"],
                before["words"] if before and is_other else [],
            )
    for item in record["before"]:
        if not any(item is before for before in befores):
            found = f"{item['metric']}: {item['title']}: {words.number(item['value'])}"
            yield f"{found}, measured before only", item["words"], []


def _again(record: Record) -> Iterator[tuple[str, Any]]:
    """What it takes to measure the same once more."""
    yield "SHA-256 of the vectors", record["vectors"]["content_sha256"]
    if record["baseline"]:
        yield "SHA-256 of the baseline", record["baseline"]["content_sha256"]
    yield "SHA-256 of the word lists", record["concept"]["words_sha256"]
    policy = record["policy"]
    yield "missing words", f"{policy['missing']}; spelling: {policy['case']}"
    seeds = {item["seed"] for item in record["measurements"]} - {None}
    yield "seed", sorted(seeds)
    yield "direction", record["concept"]["direction"]
    yield "zero vectors", record["vectors"]["zero_vectors"]
    for key, value in record["vectors"]["origin"].items():
        yield f"file: {key}", value
    for key, value in record["baseline"]["origin"].items() if record["baseline"] else ():
        yield f"file of the baseline: {key}", value
    yield from record["provenance"].items()
