"""The numbers of a study, one in each row, and those still missing."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.study_record import CellState, LabelledNumber
from unslant.core.visible import legible
from unslant.studies.run.contents import FoundCell, found_cells
from unslant.studies.run.store import Store

DONE: CellState = "done"
UNDEFINED: CellState = "undefined"
FAILED: CellState = "failed"
MISSING: CellState = "missing"


_SHOWN = 300


@dataclass(frozen=True, kw_only=True)
class Row(LabelledNumber):
    """One cell of a study: a number, or what became of it.

    ``state`` is ``done``, ``undefined`` (measured, but without a value), ``failed`` or
    ``missing`` (planned, not yet done); ``why`` says why there is no value. Two rows of the same
    measure with different ``words_key`` used different words, so they do not compare.
    """

    state: CellState = DONE
    value: float | None = None
    better: str = ""
    interval: tuple[float, float] | None = None
    p: float | None = None
    id: str = ""
    why: str = ""
    words_key: str = ""


def stored_rows(store: Store, progress: Progress | None = None) -> list[Row]:
    """Every planned cell of the study in a folder, in the plan's order.

    A file whose seal does not hold counts as not done, as it does for a run.
    """
    return [row_of(cell) for cell in found_cells(store, progress)] or planned_rows(store)


def planned_rows(store: Store) -> list[Row]:
    """The rows of a plan before its first run."""
    return [Row(**named(cell.label), state=MISSING) for cell in store.plan().cells]


def row_of(found: FoundCell) -> Row:
    """The row of a cell, whether or not the folder has its result."""
    label = named(found.label)
    if found.result is None:
        why = found.failure.message if found.failure else ""
        return Row(**label, state=FAILED if found.failure else MISSING, why=why)
    try:
        record = found.result["measurement"]
        interval, p = record.get("interval"), record.get("p")
        return Row(
            **label,
            state=UNDEFINED if record["value"] is None else DONE,
            value=None if record["value"] is None else float(record["value"]),
            better=record.get("better", ""),
            interval=(float(interval["low"]), float(interval["high"])) if interval else None,
            p=float(p["value"]) if p else None,
            id=found.id,
            why=record.get("why_undefined", ""),
            words_key=words_key(record),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = legible(repr(error), _SHOWN)
        raise UnslantError(f"Cell {found.id} is not a result of a study ({why}).") from error


def words_key(record: Mapping[str, Any]) -> str:
    """The same for two records of one measure exactly where both used the same words.

    It leaves out the expression, which the measure's label replaces and which names the seed.
    """
    parameters = record.get("parameters", {})
    used = {use["set"]: sorted(set(use["used"])) for use in record.get("words", ())}
    what = [record.get("metric"), parameters.get("subject"), parameters.get("case"), used]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def named(label: Sequence[Any]) -> dict[str, Any]:
    """The parts of a cell's label by name."""
    resource, method, measure, concept, seed = label
    return {
        "resource": str(resource),
        "method": str(method),
        "measure": str(measure),
        "concept": str(concept),
        "seed": int(seed),
    }
