"""What a study adds to each of its cells, and how well two workers share its work.

The cells of the first cost nothing, so that all there is to see is the runner; its floor is the
same files written one after the other and flushed to the disk. The second is a grid of the
measures and methods that papers use, on the built-in vectors. Workers have been started before the
clock, each run has an empty cache of its own, and both numbers of workers must find the same bytes.
How much two workers gain over one depends on whether the cores of a machine slow each other down,
so their floor is what this one can do: half of the time of two such studies at once, each with one
worker, which share nothing and wait for nothing.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import wait
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, faster, slower, within

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from unslant.studies.plan.cells import Plan
    from unslant.studies.run.store import Store
    from unslant.studies.run.task import Task

ROWS = 1_000
MOST_SECONDS = 0.010
TIMES_FLOOR = 1.08
"""Where cores do not slow each other down, this is 1.85 times as fast as one worker."""

_MOST_WAIT = 300.0
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
    two, one, both = measure(
        Contender(unslant_workers, scratch, 2, seeds),
        Contender(unslant_workers, scratch, 1, seeds),
        Contender(two_studies, scratch, seeds),
        runs=2,
    )
    if one.answer["sha256"] != two.answer["sha256"]:
        raise AssertionError("one and two workers find different bytes")
    name = f"study, {one.answer['cells']} cells, 2 workers"
    halves = [seconds / 2 for seconds in both.seconds]
    return [
        within(f"study, each of {rows:,} cells", each[0], "the files", each[1], MOST_SECONDS),
        slower(name, two.seconds, "half of two studies at once", halves, TIMES_FLOOR),
        faster(name, two.seconds, "1 worker", one.seconds),
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

    plan, store = _plan(scratch, _REAL, seeds), _store(scratch)
    pool = Processes(workers)
    wait([pool.submit(warm) for _ in range(workers)])

    def action() -> dict[str, Any]:
        with pool:
            outcome = run_study(plan, store, pool)
        if not outcome.is_complete:
            raise RuntimeError(
                f"cells failed: {[one.message for one in store.failures().values()]}"
            )
        lines = [store.path(cell).read_bytes().split(b"\n")[0] for cell in sorted(store.done())]
        return {"cells": len(lines), "sha256": hashlib.sha256(b"\n".join(lines)).hexdigest()}

    return action


def two_studies(scratch: str, seeds: int) -> Callable[[], None]:
    """The same grid twice at the same time, each with one worker and a cache of its own."""
    context = get_context("spawn")
    together = context.Barrier(3)
    studies = [
        context.Process(target=_one_of_two, args=(scratch, seeds, together)) for _ in range(2)
    ]
    for study in studies:
        study.start()
    together.wait(_MOST_WAIT)

    def action() -> None:
        together.wait(_MOST_WAIT)
        for study in studies:
            study.join()
        if any(study.exitcode for study in studies):
            raise RuntimeError("one of two studies failed; see its error above.")

    return action


def _one_of_two(scratch: str, seeds: int, together: "Barrier") -> None:
    action = unslant_workers(scratch, 1, seeds)
    for _ in range(2):  # when both are ready, and when the clock starts
        together.wait(_MOST_WAIT)
    action()


def nothing(task: "Task") -> dict[str, Any]:
    """The record of a cell that costs nothing."""
    return {
        "id": task.id,
        "label": list(task.cell.label),
        "inputs": dict(task.inputs),
        "measurement": {"value": 0.5, "better": "lower"},
    }


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
