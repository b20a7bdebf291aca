"""What a cell's number depends on, and the id that follows from it.

The id is made from content alone: the bytes of files, the words of lists, expressions, seed and
version. Labels, paths and the order of a plan do not enter, so a file that was moved keeps its
cells, and a file that was changed loses them.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from unslant.core.expression import parse_call
from unslant.core.version import __version__
from unslant.studies.plan.cells import Cell, PlannedMeasure
from unslant.studies.run.file_hashes import FileHashes

__all__ = ["FileHashes", "cell_id", "inputs_of"]

_DIGITS = 16


def inputs_of(cell: Cell, hashes: FileHashes) -> dict[str, Any]:
    """Everything that the number of a cell depends on, as plain JSON values."""
    return {
        "resource": {"sha256": hashes.of_resource(cell.resource), "limit": cell.resource.limit},
        "method": cell.method,
        "concept": hashes.of_concept(cell.concept),
        "policy": {"missing": cell.missing, "case": cell.case},
        "measure": _of_probe(cell.measure, hashes)
        if cell.measure.is_probe
        else _of_metric(cell.measure, hashes),
        "seed": cell.seed,
        "version": __version__,
    }


def cell_id(inputs: Mapping[str, Any]) -> str:
    """The id of a cell: the same for the same inputs, in whatever order they are given.

    >>> cell_id({"seed": 0, "method": "hard"}) == cell_id({"method": "hard", "seed": 0})
    True
    """
    text = json.dumps(
        inputs, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _of_metric(measure: PlannedMeasure, hashes: FileHashes) -> dict[str, Any]:
    expression, benchmark = hashes.of_benchmark(measure.expression)
    return {
        "expression": expression,
        "benchmark": benchmark,
        "test": measure.test,
        "detail": measure.detail,
    }


def _of_probe(measure: PlannedMeasure, hashes: FileHashes) -> dict[str, Any]:
    return {
        "probe": parse_call(measure.expression).name,
        "expression": measure.score,
        **hashes.of_probe(measure.expression),
        "model": hashes.of_answering(measure.expression, measure.model, measure.retrain),
        "detail": measure.detail,
    }
