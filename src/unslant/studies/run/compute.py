"""One cell: from its description to its record, the same on every machine."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from unslant.concepts import AssociationTest, Concept, WordPolicy, concept
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.files import cache_folder, sha256_of_file
from unslant.core.measurement import Measurement
from unslant.datasets.download import download
from unslant.measures.change import change_of
from unslant.measures.running import measure
from unslant.methods.pipeline import fit
from unslant.methods.streaming import save_debiased
from unslant.studies.plan.cells import Cell, PlannedResource
from unslant.studies.run.machine_cache import KeptNeighbours, get_or_create
from unslant.studies.run.model_spaces import seeded_methods, spaces_in_model, with_seed
from unslant.studies.run.probe_scores import asked, asked_of_model, is_answered_by_model
from unslant.studies.run.task import Task
from unslant.vectors import Space, WordVectors, load
from unslant.vectors.load import BUILTIN, load_kept

# The values of a cell on the same resamples before and after its method.

MOST_DRAWS = 500
"""So many are written down, the first ones: enough for an interval, and a few kilobytes."""
_DIGITS = 6


def paired(now: Measurement, before: Measurement) -> dict[str, Any] | None:
    """Both values with their resamples, and whether the change is clear; None without a value.

    These separate differences between methods from chance: two methods that are measured on
    the same resampled words have in common what the words do to either.
    """
    if now.value is None or before.value is None:
        return None
    pair: dict[str, Any] = {
        "before": before.value,
        "verdict": change_of(now, before).verdict,
        "draws": [],
        "draws_before": [],
    }
    mine, theirs = now.draws, before.draws
    if mine is None or theirs is None or mine.key != theirs.key:
        return pair
    both = np.stack([mine.values[:MOST_DRAWS], theirs.values[:MOST_DRAWS]])
    both = both[:, np.isfinite(both).all(axis=0)]
    pair["draws"], pair["draws_before"] = both.round(_DIGITS).tolist()
    return pair


_KEPT_OPEN = 4
"""How many sets of vectors a process keeps mapped, of those it read and of those it made."""
_KEPT_BEFORE = 64
"""How many measurements of unchanged vectors a process keeps, to pair those after methods with."""


def compute(task: Task) -> dict[str, Any]:
    """The record of a cell, with nothing in it that differs from run to run."""
    cell = task.cell
    if cell.measure.is_probe and is_answered_by_model(cell):
        found = asked_of_model(task, _policy(cell))
    elif cell.measure.is_probe:
        space, _ = _spaces(task)
        assert isinstance(space, WordVectors)  # a plan refuses probes of other spaces
        found = asked(cell.measure, space, _policy(cell), cell.seed)
    else:
        space, original = _spaces(task)
        found = _measured(task, space, original if cell.method else None)
    measurement = _detail(found, cell.measure.detail).to_dict()
    measurement["parameters"].pop("definition", None)  # the folder has it once for all cells
    result: dict[str, Any] = {
        "id": task.id,
        "label": list(cell.label),
        "inputs": dict(task.inputs),
        "measurement": measurement,
    }
    if _has_pair(cell) and found.draws is not None:
        unchanged = replace(cell, method="", method_label="")
        # The hash is an argument so that after a file was replaced, a later run in this process
        # does not get the old file's measurement from the cache.
        before = _before(unchanged, task.inputs["resource"]["sha256"])
        result["paired"] = paired(found, before)
    return result


def _has_pair(cell: Cell) -> bool:
    """Whether the same is measured before the method; not where that would train a model."""
    of_vectors = cell.method and cell.resource.kind == "vectors"
    return bool(of_vectors and not cell.measure.detail and not cell.measure.retrain)


@lru_cache(maxsize=_KEPT_BEFORE)
def _before(cell: Cell, sha256: str) -> Measurement:
    """The measurement without a method, computed once for all methods.

    It takes no room in the cache, where the cell of the unchanged vectors keeps its own.
    """
    original = vectors_of(cell.resource, sha256)
    if cell.measure.is_probe:
        return asked(cell.measure, original, _policy(cell), cell.seed)
    return measure(
        with_seed(cell.measure.expression, cell.seed),
        original,
        _subject(cell),
        _policy(cell),
    )


def _spaces(task: Task) -> tuple[Space, Space]:
    """The space to measure, and the same space before the cell's method."""
    cell = task.cell
    if cell.resource.kind == "model":
        return spaces_in_model(task, _subject(cell), _policy(cell))
    original = vectors_of(cell.resource, task.inputs["resource"]["sha256"])
    return (_debiased(task, original) if cell.method else original), original


def _debiased(task: Task, original: WordVectors) -> WordVectors:
    """The vectors after the cell's method, computed once on each machine."""
    cell = task.cell
    method = seeded_methods(cell.method, cell.seed)
    depends_on = {
        "vectors": original.content_hash,
        "method": method,
        "concept": task.inputs["concept"],
        "policy": task.inputs["policy"],
        "version": task.inputs["version"],
    }

    def make(path: Path) -> None:
        eraser = fit(method, original, concept(cell.concept), _policy(cell))
        save_debiased(original, eraser, path)

    return get_or_create(depends_on, task.cache_bytes, make=make, read=_mapped)


def _measured(task: Task, space: Space, baseline: Space | None) -> Measurement:
    cell = task.cell
    return measure(
        with_seed(cell.measure.expression, cell.seed),
        space,
        _subject(cell),
        _policy(cell),
        baseline=baseline,
        neighbours=KeptNeighbours(task.cache_bytes),
    )


def _subject(cell: Cell) -> Concept | AssociationTest:
    whole = concept(cell.concept)
    return whole.test(cell.measure.test) if cell.measure.test else whole


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
    # Direction and interval belong to the value, not to this number from its details.
    unknown: dict[str, Any] = {"better": "", "interval": None, "p": None}
    return replace(found, value=float(value), title=f"{found.title}: {name}", **unknown)


@lru_cache(maxsize=_KEPT_OPEN)
def _mapped(path: Path) -> WordVectors:
    return load_kept(path)


def vectors_of(resource: PlannedResource, sha256: str) -> WordVectors:
    """The vectors whose file has this SHA-256, wherever this machine has or can get them."""
    if resource.path == BUILTIN:
        return load().head(resource.limit) if resource.limit else load()
    return _loaded(_place(resource, sha256), resource.limit)


def _place(resource: PlannedResource, sha256: str) -> Path:
    """A file with the right content: at the plan's path, in the cache, or fetched."""
    path = Path(resource.path) if resource.path else None
    if path is not None and path.is_file():
        if _sha256(path) == sha256:
            return path
        raise UnslantError(
            f"{path} is not the file that the study was planned with (its SHA-256 is not "
            f"{sha256[:16]}…). Put the same file there, or run the study again."
        )
    name = Path(resource.url.rpartition("/")[2] or resource.path).name
    kept = cache_folder() / "downloads" / f"{sha256[:12]}-{name}"
    if kept.is_file() and _sha256(kept) == sha256:
        return kept
    if resource.url:
        download(resource.url, kept, sha256=sha256)
        return kept
    raise UnslantError(
        f'The vectors "{resource.label}" are not on this machine: neither {resource.path} nor '
        f"{kept} exists. Put the file in one of these places, or give the resource a url."
    )


def _sha256(path: Path) -> str:
    """The hash of a file, computed once while the file is unchanged."""
    facts = path.stat()
    return _hashed(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=64)
def _hashed(path: Path, size: int, modified: int) -> str:
    return sha256_of_file(path)


@lru_cache(maxsize=_KEPT_OPEN)
def _loaded(path: Path, limit: int | None) -> WordVectors:
    return load(path, limit=limit)
