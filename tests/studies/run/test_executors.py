"""Processes and Dask clusters: workers that die are replaced, and no byte of a result changes."""

import importlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.studies.run import trivial
from tests.studies.run.trivial import first_lines, noted, plan_in
from unslant.core import extras
from unslant.core.errors import UnslantError
from unslant.studies.plan.cells import Plan
from unslant.studies.run import attempts
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.cluster import dask
from unslant.studies.run.processes import TRIES, Processes
from unslant.studies.run.run import run
from unslant.studies.run.store import Store

ROOT = Path(__file__).resolve().parents[3]

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason='distributed is not installed: pip install "unslant[dask]"',
)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRIVIAL_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path / "log"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_in(tmp_path, 15)


@pytest.fixture
def expected(plan: Plan, tmp_path: Path, log: Path) -> dict[str, bytes]:
    """What a run in this process finds."""
    store = Store(tmp_path / "expected")
    assert run(plan, store, compute=trivial.compute).is_complete
    log.unlink()
    return first_lines(store)


def threads_here(_: object = None) -> list[int]:
    """How many threads each linear algebra library of this process may use."""
    import numpy as np  # noqa: F401
    from threadpoolctl import threadpool_info

    return [library["num_threads"] for library in threadpool_info()]


def test_in_process_an_error_is_kept_and_an_interrupt_is_not() -> None:
    pool = InProcess()
    assert pool.submit(divmod, 7, 2).result() == (3, 1)
    assert isinstance(pool.submit(divmod, 7, 0).exception(), ZeroDivisionError)
    with pytest.raises(KeyboardInterrupt):
        pool.submit(_interrupt)


def _interrupt() -> None:
    raise KeyboardInterrupt


def test_a_worker_that_dies_is_replaced_and_only_a_deadly_cell_fails(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "2")  # so that the limit is the worker's own
    plan = plan_in(tmp_path, 1, ("plain", "fails", "dies once", "dies"), methods=("",))
    store = Store(tmp_path / "study")
    with Processes(2) as pool:
        outcome = run(plan, store, pool, compute=trivial.compute)
        limits = pool.submit(threads_here).result()
    assert limits
    assert set(limits) == {1}
    assert (outcome.done, outcome.failed) == (2, 2)
    measures = [failure.label[2] for failure in store.failures().values()]
    assert sorted(measures) == ["dies", "fails"]
    counts = {cell: noted(log).count(cell) for cell in noted(log)}
    for entry in store.index():
        tries = {"plain": 1, "fails": 1, "dies once": 2, "dies": TRIES}[str(entry.label[2])]
        assert counts[entry.id] == tries, entry
    messages = {str(one.label[2]): one.message for one in store.failures().values()}
    assert f"died {TRIES} times while it computed this cell" in messages["dies"]


def test_there_must_be_a_worker() -> None:
    with pytest.raises(UnslantError, match="number of workers must be at least 1, not 0"):
        Processes(0)


# Dask -----------------------------------------------------------------------------------------


def test_without_dask_the_advice_is_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(extras, "import_module", absent)
    with pytest.raises(UnslantError, match=r'pip install "unslant\[dask\]"'):
        dask("tcp://127.0.0.1:8786")


class KilledWorker(Exception):  # noqa: N818
    """Named as the error of Dask is."""


class Deadly(Executor):
    """A cluster on which no worker survives."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(KilledWorker())
        return future


def test_a_cell_that_kills_dask_workers_is_a_failure(tmp_path: Path, log: Path) -> None:
    store = Store(tmp_path / "study")
    outcome = run(plan_in(tmp_path, 1), store, Deadly(), compute=trivial.compute)
    assert outcome.failed == 2
    assert all("Dask workers died" in one.message for one in store.failures().values())


class Blaming(ThreadPoolExecutor):
    """A cluster that blames each cell once, as Dask does with those near a deadly one."""

    def __init__(self) -> None:
        super().__init__(4)
        self.given: list[str] = []
        self.neighbours: list[int] = []
        self._at_work = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return super().submit(self._blamed, fn, *args)

    def _blamed(self, fn: Callable[..., Any], *args: Any) -> Any:
        label = args[1].cell.measure.label
        self.given.append(label)
        is_second = self.given.count(label) > 1
        self._at_work += 1
        time.sleep(0.05 * len(self.given))  # so that they do not end together
        if is_second:
            self.neighbours.append(self._at_work - 1)
        self._at_work -= 1
        if label == "dies" or not is_second:
            raise KilledWorker
        return fn(*args)


def test_a_cell_that_was_near_a_deadly_one_is_tried_alone(tmp_path: Path, log: Path) -> None:
    plan = plan_in(tmp_path, 1, ("deadly", "dies", "near", "nearer"), methods=("",))
    store = Store(tmp_path / "study")
    with Blaming() as pool:
        outcome = run(plan, store, pool, compute=trivial.compute)
    assert (outcome.done, outcome.failed) == (3, 1)
    assert [failure.label[2] for failure in store.failures().values()] == ["dies"]
    assert sorted(pool.given) == sorted(["deadly", "dies", "near", "nearer"] * 2)
    assert pool.neighbours == [0] * 4


class Deserted(ThreadPoolExecutor):
    """A cluster whose only worker comes late."""

    is_deserted = True

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return super().submit(self._late, fn, *args)

    def _late(self, fn: Callable[..., Any], *args: Any) -> Any:
        if self.is_deserted:
            time.sleep(0.3)
            self.is_deserted = False
        return fn(*args)


def test_while_there_is_no_worker_that_is_said(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "_LOOK_SECONDS", 0.05)
    said: list[tuple[str, int, int]] = []
    with Deserted(1) as pool:
        store = Store(tmp_path / "study")
        run(
            plan_in(tmp_path, 2),
            store,
            pool,
            compute=trivial.compute,
            progress=lambda *what: said.append(what),
        )
    waited = [one for one in said if one[0] == "Waiting for a Dask worker"]
    assert waited[0][1:] == (0, 1)
    assert waited[-1][1:] == (1, 1)
    assert waited.count(waited[-1]) == 1


@contextmanager
def killed_midway(log: Path, cells: int) -> Iterator[list[int]]:
    """Kill the process that computed the first cell, once so many have been begun."""
    killed: list[int] = []
    is_over = threading.Event()

    def kill() -> None:
        while len(noted(log)) < cells and not is_over.wait(0.005):
            pass
        if not is_over.is_set():
            killed.append(int(noted(Path(f"{log}.processes"))[-1]))
            os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        is_over.set()
        thread.join()


def check_run(
    plan: Plan, address: str, store: Store, log: Path, expected: dict[str, bytes]
) -> None:
    with dask(address, wait_seconds=30) as cluster:
        assert cluster.workers >= 1
        with killed_midway(log, 8) as killed:
            outcome = run(plan, store, cluster, compute=trivial.compute)
    assert killed
    assert outcome.is_complete
    assert first_lines(store) == expected
    assert len(set(noted(Path(f"{log}.processes")))) >= 2


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_a_local_cluster_survives_the_death_of_a_worker(
    plan: Plan,
    expected: dict[str, bytes],
    tmp_path: Path,
    log: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    distributed = importlib.import_module("distributed")
    monkeypatch.setenv("TRIVIAL_SECONDS", "0.05")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
        silence_logs=50,
    ) as cluster:
        check_run(plan, cluster.scheduler_address, Store(tmp_path / "study"), log, expected)


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_workers_from_the_shell_survive_the_death_of_one(
    plan: Plan,
    expected: dict[str, bytes],
    tmp_path: Path,
    log: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TRIVIAL_SECONDS", "0.05")
    with ExitStack() as stack:
        address = scheduler(stack, tmp_path)
        for number in range(2):
            place = f"--local-directory={tmp_path / f'w{number}'}"
            shell(stack, "worker", address, "--nthreads=1", "--no-dashboard", "--no-nanny", place)
        check_run(plan, address, Store(tmp_path / "study"), log, expected)


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnslantError, match="No Dask scheduler answers at tcp://127"):
        dask("tcp://127.0.0.1:9", wait_seconds=0.3)
    with pytest.raises(UnslantError, match="No Dask scheduler answers at nonsense"):
        dask("nonsense", wait_seconds=0.3)


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_dies_ends_the_run_in_one_sentence(
    plan: Plan, tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIAL_SECONDS", "0.05")
    store = Store(tmp_path / "study")
    with ExitStack() as stack:
        address = scheduler(stack, tmp_path)
        place = f"--local-directory={tmp_path / 'w'}"
        shell(stack, "worker", address, "--nthreads=1", "--no-dashboard", "--no-nanny", place)
        with dask(address, wait_seconds=30) as cluster:
            assert not cluster.is_deserted
            killed: list[int] = []

            def progress(what: str, done: int, total: int) -> None:
                if what == "Cells" and done == 5 and not killed:
                    killed.append(done)
                    stack.close()

            with pytest.raises(UnslantError, match=r"\(the Dask scheduler is gone\)"):
                run(plan, store, cluster, compute=trivial.compute, progress=progress)
    assert len(store.done()) >= 5
    assert run(plan, store, compute=trivial.compute).is_complete


def shell(stack: ExitStack, *command: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stack.callback(process.wait, timeout=30)
    stack.callback(process.kill)


def scheduler(stack: ExitStack, folder: Path) -> str:
    """The address of a scheduler started from the shell."""
    described = folder / "scheduler.json"
    place = f"--scheduler-file={described}"
    shell(stack, "scheduler", "--host=127.0.0.1", "--port=0", "--no-dashboard", place)
    end = time.monotonic() + 60
    while not described.exists():
        assert time.monotonic() < end, "the scheduler does not start"
        time.sleep(0.05)
    return str(json.loads(described.read_text())["address"])
