"""The contents of a study's folder: every planned cell with its result, or why it has none.

Each file is read once, however many labels share it, and no more of them are kept in memory than
those that are shared.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.core.files import Progress
from unslant.core.study_record import Key, StudyStatus
from unslant.studies.run.plan_folder import PlannedCell
from unslant.studies.run.store import Failure, Store


@dataclass(frozen=True, kw_only=True)
class FoundCell:
    """A planned cell as the folder has it; ``file`` names a damaged one."""

    label: Key
    id: str
    state: Literal["done", "failed", "damaged", "missing"]
    result: Mapping[str, Any] | None = None
    failure: Failure | None = None
    file: str = ""


def found_cells(store: Store, progress: Progress | None = None) -> Iterator[FoundCell]:
    """The cells of the plan in its order, as the last run knew them; none before the first run.

    This only reads, so it is safe during a run.
    """
    store.facts()  # a folder without a study says so
    entries, failures, set_aside = store.index(), store.failures(), store.damaged()
    labels = Counter(entry.id for entry in entries)
    shared: dict[str, FoundCell] = {}
    for number, entry in enumerate(entries, 1):
        known = shared.get(entry.id) if entry.id else None
        if known is None:
            known = _found(store, entry, failures.get(entry.id))
            if known.state == "missing" and entry.id in set_aside:
                known = replace(known, state="damaged", file=str(set_aside[entry.id]))
            if labels[entry.id] > 1:
                shared[entry.id] = known
        failure = replace(known.failure, label=entry.label) if known.failure else None
        yield replace(known, label=entry.label, failure=failure)
        if progress:
            progress("Reading cells", number, len(entries))


def _found(store: Store, entry: PlannedCell, failure: Failure | None) -> FoundCell:
    if not entry.id:
        failure = Failure(id="", label=entry.label, message=entry.problem)
        return FoundCell(label=entry.label, id="", state="failed", failure=failure)
    try:
        result = store.read(entry.id)
        return FoundCell(label=entry.label, id=entry.id, state="done", result=result)
    except DamagedFileError:
        path = str(store.path(entry.id))
        return FoundCell(label=entry.label, id=entry.id, state="damaged", file=path)
    except UnslantError:
        state: Literal["failed", "missing"] = "failed" if failure else "missing"
        return FoundCell(label=entry.label, id=entry.id, state=state, failure=failure)


@dataclass(frozen=True, kw_only=True)
class FolderStatus(StudyStatus):
    """How far a study is, with what failed and which files are damaged."""

    plan: str
    failures: tuple[Failure, ...] = ()
    damaged_files: tuple[str, ...] = ()

    @property
    def counts(self) -> StudyStatus:
        """The numbers alone."""
        return StudyStatus(**{item.name: getattr(self, item.name) for item in fields(StudyStatus)})


def status(store: Store, progress: Progress | None = None) -> FolderStatus:
    """How far the study in a folder is."""
    cells = [replace(cell, result=None) for cell in found_cells(store, progress)]
    return status_of(store, cells)


def status_of(store: Store, cells: list[FoundCell]) -> FolderStatus:
    """How far a study is whose cells were found."""
    facts = store.facts()
    counts = Counter(cell.state for cell in cells)
    planned = int(facts["cells"])
    return FolderStatus(
        plan=str(facts["name"]),
        planned=planned,
        done=counts["done"],
        failed=counts["failed"],
        damaged=counts["damaged"],
        missing=planned - counts["done"] - counts["failed"] - counts["damaged"],
        failures=tuple(cell.failure for cell in cells if cell.failure),
        damaged_files=tuple(dict.fromkeys(cell.file for cell in cells if cell.file)),
    )
