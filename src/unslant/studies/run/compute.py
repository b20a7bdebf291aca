"""One cell: from its description to its record, the same on every machine."""

from dataclasses import replace
from typing import Any

from unslant.concepts import WordPolicy, concept
from unslant.core.errors import UnknownNameError
from unslant.core.measurement import Measurement
from unslant.metrics import measure
from unslant.studies.plan.cells import Cell
from unslant.studies.run.asking import asked
from unslant.studies.run.cell_vectors import vectors_of
from unslant.studies.run.neighbour_lists import KeptNeighbours
from unslant.studies.run.seeding import seeded_measure, seeded_methods
from unslant.studies.run.spaces import debiased_once
from unslant.studies.run.task import Task
from unslant.vectors import WordVectors


def compute(task: Task) -> dict[str, Any]:
    """The record of a cell, with nothing in it that differs from run to run."""
    cell = task.cell
    original = vectors_of(cell.resource, task.inputs["resource"]["sha256"])
    vectors = _debiased(task, original) if cell.method else original
    if cell.measure.is_probe:
        found = asked(cell.measure, vectors, _policy(cell), cell.seed)
    else:
        found = _measured(task, vectors, original if cell.method else None)
    measurement = _detail(found, cell.measure.detail).to_dict()
    measurement["parameters"].pop("definition", None)  # the folder has it once for all cells
    return {
        "id": task.id,
        "label": list(cell.label),
        "inputs": dict(task.inputs),
        "measurement": measurement,
    }


def _debiased(task: Task, original: WordVectors) -> WordVectors:
    cell = task.cell
    method = seeded_methods(cell.method, cell.seed)
    depends_on = {
        "vectors": original.content_hash,
        "method": method,
        "concept": task.inputs["concept"],
        "policy": task.inputs["policy"],
        "version": task.inputs["version"],
    }
    return debiased_once(
        original, method, concept(cell.concept), _policy(cell), depends_on, task.cache_bytes
    )


def _measured(task: Task, vectors: WordVectors, baseline: WordVectors | None) -> Measurement:
    cell = task.cell
    subject = concept(cell.concept)
    return measure(
        seeded_measure(cell.measure.expression, cell.seed),
        vectors,
        subject.test(cell.measure.test) if cell.measure.test else subject,
        _policy(cell),
        baseline=baseline,
        neighbours=KeptNeighbours(task.cache_bytes),
    )


def _policy(cell: Cell) -> WordPolicy:
    return WordPolicy(missing=cell.missing, case=cell.case)


def _detail(found: Measurement, name: str) -> Measurement:
    """The measurement with a number of its details in the place of its value."""
    if not name or found.value is None:
        return found
    if name not in found.details:
        raise UnknownNameError(f"detail of {found.metric}", name, found.details)
    value = found.details[name]
    if not isinstance(value, int | float):
        raise UnknownNameError(
            f"number among the details of {found.metric}",
            name,
            [key for key, item in found.details.items() if isinstance(item, int | float)],
        )
    # Which way is better, and how sure it is, was said of the value and not of this number.
    said: dict[str, Any] = {"better": "", "interval": None, "p": None}
    return replace(found, value=float(value), title=f"{found.title}: {name}", **said)
