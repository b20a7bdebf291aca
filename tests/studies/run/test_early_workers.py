"""Workers load what they need while the plan is still read."""

import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from tests.studies.run.trivial import plan_in
from unslant.studies.plan.cells import Cell
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.processes import Processes
from unslant.studies.run.run import run
from unslant.studies.run.store import Store

SLOW = """
import multiprocessing, time
if multiprocessing.parent_process() is not None:
    time.sleep({seconds})
def compute(task):
    return {{"id": task.id}}
"""


def is_loaded(name: str) -> bool:
    return name in sys.modules


def module_in(
    folder: Path, name: str, seconds: float, path: pytest.MonkeyPatch
) -> Callable[..., object]:
    (folder / f"{name}.py").write_text(SLOW.format(seconds=seconds))
    path.syspath_prepend(str(folder))
    found: Callable[..., object] = import_module(name).compute
    return found


def test_workers_that_have_begun_have_loaded_the_module_of_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute = module_in(tmp_path, "made_for_begin", 0, monkeypatch)
    with Processes(1) as pool:
        pool.begin(compute)
        assert pool.submit(is_loaded, "made_for_begin").result()
        assert not pool.submit(is_loaded, "made_for_nobody").result()


def test_nobody_waits_for_workers_that_were_not_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute = module_in(tmp_path, "made_to_be_slow", 120, monkeypatch)
    begun = time.monotonic()
    with Processes(2) as pool:
        pool.begin(compute)
    assert time.monotonic() - begun < 60


def test_a_run_begins_its_workers_before_it_asks_what_cells_depend_on(tmp_path: Path) -> None:
    order: list[str] = []

    class Watched(InProcess):
        def begin(self, fn: Callable[..., object]) -> None:
            order.append("begin")

    def inputs(cell: Cell) -> dict[str, object]:
        order.append("inputs")
        return {"label": list(cell.label)}

    run(
        plan_in(tmp_path, 1),
        Store(tmp_path / "study"),
        Watched(),
        compute=lambda task: {"id": task.id},
        inputs=inputs,
    )
    assert order[0] == "begin"
    assert order.count("begin") == 1
    assert "inputs" in order
