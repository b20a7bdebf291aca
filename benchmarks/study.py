"""What a study adds to each of its cells, and how much two workers are faster than one.

The cells of the first cost nothing, so that all there is to see is the runner; its floor is the
same files written one after the other and flushed to the disk. The second is a grid of the
measures and methods that papers use, on the built-in vectors. Workers have been started before the
clock, each run has an empty cache of its own, and both numbers of workers must find the same bytes.
On a busy machine two workers get no more of it than one does. So the processor time is there too:
that of the busier of two workers is how long they would take with a core each.
"""

import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import wait
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, faster, within

if TYPE_CHECKING:
    from unslant.studies.plan.cells import Plan
    from unslant.studies.run.store import Store
    from unslant.studies.run.task import Task

ROWS = 1_000
MOST_SECONDS = 0.010
TIMES_FASTER = 1.85

_TRIVIAL = """
[resources]
slice = "builtin"
[measures]
nothing = { measure = "weat", test = "career-family" }
"""
_REAL = """
[resources]
slice = "builtin"
[methods]
original = ""
hard = "hard"
leace = "leace"
"hard, then misp" = "hard | misp"
random = "random"
inlp = "inlp"
[measures]
"WEAT 6" = { measure = "weat", test = "career-family" }
"WEAT 7" = { measure = "weat", test = "math-arts" }
"WEAT 8" = { measure = "weat", test = "science-arts" }
DB = "direct-bias(neutral=most-frequent)"
MIDB = "midb"
"SB def" = "sembias"
"by neighbours" = "bias-by-neighbours(neutral=professions)"
clustering = "clustering"
recoverability = "recoverability"
"""


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """``rows`` is the number of cells that cost nothing; the grid has a tenth of its seeds."""
    say(f"study: {rows:,} cells that cost nothing, and a grid that does not")
    ours, floor = measure(
        Contender(unslant_study, scratch, rows), Contender(plain_files, scratch, rows), runs=3
    )
    each = [[seconds / rows for seconds in one.seconds] for one in (ours, floor)]
    seeds = max(1, rows // 250)
    two, one = measure(
        Contender(unslant_workers, scratch, 2, seeds),
        Contender(unslant_workers, scratch, 1, seeds),
        runs=2,
    )
    if one.answer["sha256"] != two.answer["sha256"]:
        raise AssertionError("one and two workers find different bytes")
    name = f"study, {one.answer['cells']} cells, 2 workers"
    busiest = [[max(answer["work"])] for answer in (two.answer, one.answer)]
    return [
        within(f"study, each of {rows:,} cells", each[0], "the files", each[1], MOST_SECONDS),
        faster(name, two.seconds, "1 worker", one.seconds, TIMES_FASTER),
        faster(
            f"{name}, processor time of the busier",
            busiest[0],
            "1 worker",
            busiest[1],
            TIMES_FASTER,
        ),
    ]


def unslant_study(scratch: str, rows: int) -> Callable[[], int]:
    """A study of cells that cost nothing, in one process."""
    from unslant.studies.run.run import run as run_study

    plan, store = _plan(scratch, _TRIVIAL, rows), _store(scratch)
    return lambda: run_study(plan, store, compute=nothing).done


def plain_files(scratch: str, rows: int) -> Callable[[], None]:
    """As many files of the same size, each flushed before the next."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    content = os.urandom(700)

    def action() -> None:
        for number in range(rows):
            with (folder / str(number)).open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())

    return action


def unslant_workers(scratch: str, workers: int, seeds: int) -> Callable[[], dict[str, Any]]:
    """A real grid in so many worker processes, and a hash of what they find."""
    os.environ["UNSLANT_CACHE"] = tempfile.mkdtemp(dir=scratch)
    from unslant.studies.run.processes import Processes
    from unslant.studies.run.run import run as run_study

    meter = os.environ["STUDY_METER"] = str(Path(tempfile.mkdtemp(dir=scratch)) / "meter")
    plan, store = _plan(scratch, _REAL, seeds), _store(scratch)
    pool = Processes(workers)
    wait([pool.submit(warm) for _ in range(workers)])

    def action() -> dict[str, Any]:
        with pool:
            outcome = run_study(plan, store, pool, compute=metered)
        if not outcome.is_complete:
            raise RuntimeError(
                f"cells failed: {[one.message for one in store.failures().values()]}"
            )
        lines = [store.path(cell).read_bytes().split(b"\n")[0] for cell in sorted(store.done())]
        work: dict[str, float] = {}
        for line in Path(meter).read_text().splitlines():
            worker, seconds = line.split()
            work[worker] = work.get(worker, 0) + float(seconds)
        return {
            "cells": len(lines),
            "sha256": hashlib.sha256(b"\n".join(lines)).hexdigest(),
            "work": list(work.values()),
        }

    return action


def nothing(task: "Task") -> dict[str, Any]:
    """The record of a cell that costs nothing."""
    return {
        "id": task.id,
        "label": list(task.cell.label),
        "inputs": dict(task.inputs),
        "measurement": {"value": 0.5, "better": "lower"},
    }


def metered(task: "Task") -> dict[str, Any]:
    """The record of a cell, and a note of the processor time that it took this worker."""
    from unslant.studies.run.compute import compute

    begin = time.process_time()
    result = compute(task)
    with Path(os.environ["STUDY_METER"]).open("a") as stream:
        stream.write(f"{os.getpid()} {time.process_time() - begin}\n")
    return result


def warm() -> None:
    """Load in a worker what its cells need."""
    for library in ("scipy.stats", "sklearn.cluster", "sklearn.svm", "sklearn.linear_model"):
        import_module(library)
    import_module("unslant.studies.run.compute")
    from unslant.vectors import load

    load()


def _plan(scratch: str, text: str, seeds: int) -> "Plan":
    from unslant.studies.plan.reading import read_plan

    path = Path(tempfile.mkdtemp(dir=scratch)) / "plan.toml"
    path.write_text(f"{text}[[matrix]]\nseeds = {list(range(seeds))}\n")
    return read_plan(path)


def _store(scratch: str) -> "Store":
    from unslant.studies.run.store import Store

    return Store(Path(tempfile.mkdtemp(dir=scratch)) / "study")
