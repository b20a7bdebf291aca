"""One cell of a study by itself: found by its id, and computed again to see whether it agrees."""

from typing import Any

from unslant.core.errors import UnslantError
from unslant.studies.grid.compute import compute
from unslant.studies.grid.identity import Facts, cell_id, inputs_of
from unslant.studies.grid.planfolder import Entry
from unslant.studies.grid.store import Store
from unslant.studies.grid.task import Task


def found_cell(store: Store, name: str) -> Entry:
    """The planned cell whose id begins so, or whose label is this: resource/method/measure."""
    entries = store.index()
    found = [
        entry
        for entry in entries
        if (entry.id and len(name) >= 4 and entry.id.startswith(name)) or _path(entry) == name
    ]
    if not found:
        some = ", ".join(_path(entry) for entry in entries[:3])
        raise UnslantError(
            f'No cell of {store.folder} has the id or the name "{name}". Cells are named by the '
            f"first digits of their id, or as in: {some}."
        )
    if len({entry.id for entry in found}) > 1:
        ids = ", ".join(entry.id for entry in found)
        raise UnslantError(f'"{name}" may be any of these cells: {ids}. Give more digits.')
    return found[0]


def recomputed(store: Store, entry: Entry) -> dict[str, Any]:
    """The record of a cell, computed anew from its plan."""
    facts = Facts()
    for cell in store.plan().cells:
        if tuple(cell.label) == tuple(entry.label):
            inputs = inputs_of(cell, facts)
            return compute(Task(cell=cell, id=cell_id(inputs), inputs=inputs))
    raise UnslantError(f"The plan in {store.folder} has no cell {_path(entry)} any more.")


def _path(entry: Entry) -> str:
    return "/".join(map(str, entry.label[:3]))
