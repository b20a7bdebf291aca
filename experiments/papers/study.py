"""The study of the published tables, as far as it needs no training, on the vectors in a folder.

The plan is examples/paper-tables.toml. Cells that train a model for each space are left as they
are in experiments/results/paper-tables.csv; everything else is computed, and written there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.papers.tables import HERE, RESULTS, as_csv, rows_of
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.studies.plan.cells import Plan
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.processes import Processes
from unslant.studies.run.run import run
from unslant.studies.run.store import Store

PLAN = HERE.parent / "examples" / "paper-tables.toml"
RESULT = RESULTS / "paper-tables.csv"
HEAD = ("resource", "method", "concept", "measure", "value", "low", "high", "p", "words")
FILES: Mapping[str, tuple[str, ...]] = {
    "word2vec": ("GoogleNews-vectors-negative300.bin", "GoogleNews-bolukbasi.bin"),
    "GloVe": ("glove.6B.100d.txt",),
    "GloVe 840B": ("glove.840B.300d.txt",),
}

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Cell:
    """A number of the study: NA is ``None``; the words found in each of the sets of a test."""

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    words: str = ""


def vector_files(folder: Path) -> dict[str, Path]:
    """The files in a folder by the names of the plan, or an error that says which are absent."""
    found, absent = {}, []
    for resource, names in FILES.items():
        paths = [folder / name for name in names if (folder / name).exists()]
        if paths:
            found[resource] = paths[0]
        else:
            absent.append(" or ".join(names))
    if absent:
        raise UnslantError(
            f"{folder} has no {', no '.join(absent)}. {PLAN.name} says where these vectors come "
            f"from; put them into one folder and name it: make papers VECTORS=DIR"
        )
    return found


def without_training(plan: Plan, files: Mapping[str, Path]) -> Plan:
    """The cells that train nothing, with the vectors at these paths."""
    cells = tuple(
        replace(
            cell,
            resource=replace(
                cell.resource, path=str(files[cell.resource.label].resolve()), kind="vectors"
            ),
        )
        for cell in plan.cells
        if not cell.measure.retrain
    )
    return replace(plan, cells=cells)


def compute(files: Mapping[str, Path], work: Path, workers: int, progress: Progress) -> str:
    """Compute the cells that the folder ``work`` lacks; all results as lines of a table.

    A cell may have no result (WEAT 10 on word2vec has no words): it is left out of the table.
    """
    store = Store(work)
    with InProcess() if workers == 1 else Processes(workers) as executor:
        run(
            without_training(read_plan(PLAN), files), store, executor, retry=True, progress=progress
        )
    made = {_key(item.label): _line(item.result["measurement"]) for item in store.records()}
    kept = {_of(row): [row[name] for name in HEAD[4:]] for row in rows_of(RESULT)}
    trained = {cell.measure.label for cell in read_plan(PLAN).cells if cell.measure.retrain}
    lines = {key: line for key, line in kept.items() if key[3] in trained} | made
    return as_csv(HEAD, [(*key, *line) for key, line in sorted(lines.items())])


def _key(label: Sequence[Any]) -> Key:
    resource, method, measure, about = map(str, label[:4])
    return resource, method, about, measure


def _of(row: Mapping[str, str]) -> Key:
    return row["resource"], row["method"], row["concept"], row["measure"]


def _line(found: Mapping[str, Any]) -> list[str]:
    low, high = _interval(found)
    p = found["p"]["value"] if found.get("p") else None
    words = "+".join(str(len(use["used"])) for use in found["words"][:4]) if p is not None else ""
    value = "NA" if found["value"] is None else f"{found['value']:.9g}"
    return [value, *("" if x is None else f"{x:.6g}" for x in (low, high, p)), words]


def _interval(found: Mapping[str, Any]) -> tuple[float | None, float | None]:
    interval = found.get("interval")
    if not interval:
        return None, None
    return (interval["low"], interval["high"]) if isinstance(interval, dict) else tuple(interval)


def results() -> dict[Key, Cell]:
    """What the table has, by resource, method, concept and measure."""
    found = {}
    for row in rows_of(RESULT):
        value, low, high, p = (_number(row[name]) for name in ("value", "low", "high", "p"))
        found[_of(row)] = Cell(value, low, high, p, row["words"])
    return found


def _number(text: str) -> float | None:
    return None if text in ("", "NA") else float(text)
