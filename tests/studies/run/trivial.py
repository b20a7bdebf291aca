"""A study whose cells cost nothing, for tests of everything around them.

Worker processes import this module. What a cell does besides is in the label of its measure:
``fails``, ``bug``, ``dies``, ``dies once``, ``slow``. Each computation is noted in the file that
``TRIVIAL_LOG`` names, one id a line, and its process in another beside it.
"""

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unslant.core.errors import MissingWordsError
from unslant.studies.plan.cells import Plan
from unslant.studies.run.store import Store
from unslant.studies.run.task import Task


def plan_in(
    folder: Path,
    seeds: int = 5,
    measures: Sequence[str] = ("plain",),
    methods: Sequence[str] = ("", "hard"),
    name: str = "trivial",
) -> Plan:
    """A plan of ``methods`` × ``measures`` × ``seeds`` cells."""
    from unslant.studies.plan.reading import read_plan  # late: workers need no metrics

    lines = [f'name = "{name}"', "[resources]", 'slice = "builtin"', "[methods]"]
    lines += [f'"{method or "original"}" = "{method}"' for method in methods]
    lines += ["[measures]"]
    lines += [
        f'"{label}" = {{ measure = "weat(resamples={number + 1})", test = "career-family" }}'
        for number, label in enumerate(measures)
    ]
    lines += ["[[matrix]]", f"seeds = {list(range(seeds))}", ""]
    path = folder / f"{name}.toml"
    path.write_text("\n".join(lines))
    return read_plan(path)


def compute(task: Task) -> dict[str, Any]:
    """The record of a cell: its id read as a number."""
    note(os.environ["TRIVIAL_LOG"], task.id)
    note(os.environ["TRIVIAL_LOG"] + ".processes", str(os.getpid()))
    label = task.cell.measure.label
    if label == "fails":
        raise MissingWordsError({"career": ["executive", "office"]}, task.cell.resource.label)
    if label == "bug":
        raise ZeroDivisionError("nothing to divide by")
    if label == "dies" or (label == "dies once" and first_time(task.id)):
        os.kill(os.getpid(), signal.SIGKILL)
    if seconds := 0.2 if label == "slow" else float(os.environ.get("TRIVIAL_SECONDS", "0")):
        time.sleep(seconds)
    return {
        "id": task.id,
        "label": list(task.cell.label),
        "inputs": dict(task.inputs),
        "measurement": {"value": int(task.id, 16) / 16 ** len(task.id), "better": "lower"},
    }


def note(path: str, line: str) -> None:
    """Add a line to a file that many processes add lines to, and which a kill leaves whole."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


def noted(path: Path) -> list[str]:
    """The lines so far."""
    return path.read_text().split() if path.exists() else []


def first_time(cell: str) -> bool:
    """Whether this is the first computation of a cell."""
    return noted(Path(os.environ["TRIVIAL_LOG"])).count(cell) == 1


def first_lines(store: Store) -> dict[str, bytes]:
    """The results of all cells as they are on the disk, without the times."""
    return {
        path.stem: path.read_bytes().split(b"\n")[0] for path in store.folder.glob("cells/*/*.json")
    }
