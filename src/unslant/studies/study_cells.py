"""The finished cells of a study in brief, and every set of words that they used, once."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.studies.run.store import Store

Plain = dict[str, Any]

KEPT = (
    "metric",
    "title",
    "value",
    "why_undefined",
    "better",
    "interval",
    "p",
    "details",
    "parameters",
    "warnings",
    "version",
)
"""What a cell in brief has of its measurement."""


def brief_cells(
    store: Store, progress: Progress | None = None
) -> tuple[list[Plain], dict[str, list[Plain]]]:
    """The finished cells in the plan's order without their points, and the word sets by key.

    A cell's ``words`` is the key of what it used: most cells of a measure used the same words, and
    a page that repeated them would be mostly that.
    """
    cells: list[Plain] = []
    word_sets: dict[str, list[Plain]] = {}
    entries = store.index()
    for number, entry in enumerate(entries, 1):
        try:
            result = store.read(entry.id) if entry.id else None
        except UnslantError:  # not done yet, or damaged: the status counts it
            result = None
        if result is not None:
            uses = result["measurement"]["words"]
            key = _key(uses)
            word_sets.setdefault(key, uses)
            cells.append(_brief(entry.label, entry.id, result, key))
        if progress:
            progress("Reading cells", number, len(entries))
    return cells, word_sets


def _brief(label: tuple[str | int, ...], cell: str, result: Mapping[str, Any], key: str) -> Plain:
    resource, method, measure, concept, seed = label
    record, inputs = result["measurement"], result["inputs"]
    counts = {
        kind: sum(len(use[kind]) for use in record["words"])
        for kind in ("used", "missing", "set_aside")
    }
    return {
        "id": cell,
        "resource": resource,
        "method": method,
        "measure": measure,
        "concept": concept,
        "seed": seed,
        **{name: record[name] for name in KEPT},
        **counts,
        "words": key,
        "method_expression": inputs["method"],
        "resource_sha256": inputs["resource"]["sha256"],
        "vectors_sha256": record["inputs"].get("vectors_sha256", ""),
        "concept_sha256": inputs["concept"],
    }


def _key(uses: list[Plain]) -> str:
    return hashlib.sha256(json.dumps(uses, sort_keys=True).encode()).hexdigest()[:12]
