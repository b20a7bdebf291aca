"""One cell of a study by itself: found by its id or name, and computed again to be compared."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.files import cache_folder
from unslant.core.wording import some
from unslant.studies.run.compute import compute
from unslant.studies.run.identity import FileHashes, cell_id, inputs_of
from unslant.studies.run.plan_folder import PlannedCell, make_folder
from unslant.studies.run.store import MISSING, Store
from unslant.studies.run.task import Task, threads_restored

_SHOWN = 5
_LEAST_DIGITS = 4


def found_cell(store: Store, name: str) -> PlannedCell:
    """The planned cell whose id begins so, or whose label does: resource/method/measure.

    Where several concepts or seeds have that label, ``/concept`` and ``/seed`` follow.
    """
    store.facts()  # a folder without a study says so
    entries = store.index()
    matches = [entry for entry in entries if name in _names(entry)]
    if not matches and len(name) >= _LEAST_DIGITS:
        matches = [entry for entry in entries if entry.id.startswith(name)]
    if not matches:
        there = ", ".join(_names(entry)[0] for entry in entries[:3])
        how = f"as in: {there}" if there else "and no run has got so far as to know them"
        raise UnslantError(
            f'No cell of {store.folder} has the id or the name "{name}". Cells are named by the '
            f"first {_LEAST_DIGITS} or more digits of their id, or by resource/method/measure, "
            f"{how}."
        )
    if len({entry.id for entry in matches}) > 1:
        listed = some([f"{_names(entry)[-1]} ({entry.id})" for entry in matches], _SHOWN)
        raise UnslantError(
            f'"{name}" may be any of {len(matches)} cells. Give one by its id or its whole name: '
            f"{listed}."
        )
    return matches[0]


def record_of(store: Store, entry: PlannedCell) -> dict[str, Any]:
    """The record of a finished cell under this entry's label; or else why there is none.

    Cells with equal inputs share a file, which knows the label of one of them only.
    """
    name = _names(entry)[-1]
    if entry.problem:
        raise UnslantError(f"{name} has no record. It failed: {entry.problem}")
    if store.state(entry.id) == MISSING:
        failure = store.failures().get(entry.id)
        why = f"It failed: {failure.message}" if failure else "It is not computed yet."
        raise UnslantError(f"{name} has no record. {why}")
    return {**store.read(entry.id), "label": list(entry.label)}


def recomputed(store: Store, entry: PlannedCell) -> dict[str, Any]:
    """The record of a cell, computed from its plan as if it were the first."""
    facts = FileHashes()
    for cell in store.plan().cells:
        if tuple(cell.label) == tuple(entry.label):
            inputs = inputs_of(cell, facts)
            with nothing_kept(), threads_restored():
                return compute(Task(cell=cell, id=cell_id(inputs), inputs=inputs))
    raise UnslantError(f"The plan in {store.folder} has no cell {_names(entry)[-1]} any more.")


def _names(entry: PlannedCell) -> tuple[str, str, str]:
    """The names of a cell, the shortest first; the last is its whole label."""
    parts = [str(part) for part in entry.label]
    short, longer, whole = ("/".join(parts[:count]) for count in (3, 4, 5))
    return short, longer, whole


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Give this process an empty cache, on the same disk, and take it away at the end.

    Vectors are read and debiased, neighbours looked up and models trained as for the first time.
    It has only the downloads, whose hashes are checked on use.
    """
    usual, chosen = cache_folder(), os.environ.get("UNSLANT_CACHE")
    make_folder(usual)
    with TemporaryDirectory(prefix="afresh-", dir=usual) as folder:
        downloads = usual / "downloads"
        if downloads.is_dir():
            (Path(folder) / "downloads").symlink_to(downloads.resolve(), target_is_directory=True)
        os.environ["UNSLANT_CACHE"] = folder
        try:
            yield
        finally:
            if chosen is None:
                del os.environ["UNSLANT_CACHE"]
            else:
                os.environ["UNSLANT_CACHE"] = chosen
