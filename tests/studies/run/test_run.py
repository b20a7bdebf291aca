"""Runs: what is done stays done, what changed is new, what failed says why."""

import json
import random
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from tests.studies.run import trivial
from tests.studies.run.trivial import first_lines, noted, plan_in
from unslant.core.errors import OutputError, UnslantError
from unslant.studies.plan.cells import Cell
from unslant.studies.run.contents import status
from unslant.studies.run.identity import FileHashes, inputs_of
from unslant.studies.run.run import Outcome, run
from unslant.studies.run.schedule import Waiting, identified
from unslant.studies.run.store import Store
from unslant.studies.run.task import Task, _limit, attempt


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRIVIAL_LOG", str(tmp_path / "log"))
    return tmp_path / "log"


@pytest.fixture
def store(tmp_path: Path, log: Path) -> Store:
    return Store(tmp_path / "study")


def trivially(store: Store, plan: Any, *args: Any, **options: Any) -> Outcome:
    return run(plan, store, *args, compute=options.pop("compute", trivial.compute), **options)


def test_every_cell_is_computed_once_and_never_again(
    store: Store, tmp_path: Path, log: Path
) -> None:
    plan = plan_in(tmp_path, 5)
    assert trivially(store, plan) == Outcome(planned=10, already=0, done=10, failed=0)
    assert trivially(store, plan) == Outcome(planned=10, already=10, done=0, failed=0)
    assert len(noted(log)) == len(set(noted(log))) == 10
    assert store.done() == set(noted(log))
    assert status(store).is_complete
    assert [record.label for record in store.records()] == [cell.label for cell in plan.cells]
    for record in store.records():
        assert record.result["measurement"]["value"] == int(record.id, 16) / 16**16
        assert store.times(record.id)["seconds"] >= 0


def test_a_larger_plan_computes_only_what_is_new(store: Store, tmp_path: Path, log: Path) -> None:
    trivially(store, plan_in(tmp_path, 3))
    outcome = trivially(store, plan_in(tmp_path, 5))
    assert (outcome.planned, outcome.already, outcome.done) == (10, 6, 4)
    assert "replaces an earlier version" in outcome.note
    smaller = trivially(store, plan_in(tmp_path, 1))
    assert (smaller.planned, smaller.already, smaller.done) == (2, 2, 0)
    assert len(store.done()) == 10
    assert len(list(store.records())) == 2


def test_a_changed_input_is_another_cell(store: Store, tmp_path: Path, log: Path) -> None:
    plan = plan_in(tmp_path, 2)
    trivially(store, plan)
    changed = trivially(store, plan, inputs=lambda cell: {"seed": cell.seed, "file": cell.method})
    assert (changed.already, changed.done) == (0, 4)


def test_labels_of_the_same_cell_share_one_computation(
    store: Store, tmp_path: Path, log: Path
) -> None:
    plan = plan_in(tmp_path, 2)
    twin = tuple(replace(cell, method_label=f"again {cell.method_label}") for cell in plan.cells)
    outcome = trivially(store, replace(plan, cells=plan.cells + twin))
    assert (outcome.planned, outcome.done) == (8, 8)
    assert len(noted(log)) == 4
    assert len(list(store.records())) == 8
    other = Store(tmp_path / "other")
    trivially(other, replace(plan, cells=twin + plan.cells))
    assert first_lines(other) == first_lines(store)


def test_failures_say_why_and_are_tried_again_only_when_asked(
    store: Store, tmp_path: Path, log: Path
) -> None:
    plan = plan_in(tmp_path, 1, ("plain", "fails", "bug"))
    assert trivially(store, plan) == Outcome(planned=6, already=0, done=2, failed=4)
    failures = {one.label[2]: one for one in store.failures().values()}
    assert failures["fails"].message.startswith("Words are missing from slice (career:")
    assert failures["fails"].trace == ""
    assert "ZeroDivisionError: nothing to divide by" in failures["bug"].message
    assert "Traceback" in failures["bug"].trace
    assert not status(store).is_complete
    assert str(status(store)) == "2 of 6 cells are done, 4 failed."
    assert trivially(store, plan) == Outcome(planned=6, already=2, done=0, failed=4)
    assert len(noted(log)) == 6
    assert trivially(store, plan, retry=True) == Outcome(planned=6, already=2, done=0, failed=4)
    assert len(noted(log)) == 10
    mended = trivially(store, plan, retry=True, compute=mended_compute)
    assert (mended.done, mended.failed) == (4, 0)
    assert status(store).is_complete


def mended_compute(task: Any) -> dict[str, Any]:
    return {"id": task.id, "measurement": {"value": 1.0}}


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ({"id": "another"}, "says that it is another"),
        ({"id": None, "value": float("nan")}, "JSON"),
        ({"id": None, "value": object()}, "JSON"),
        ("text", "AttributeError"),
    ],
)
def test_a_result_that_cannot_be_one_is_a_failure(
    store: Store, tmp_path: Path, returned: Any, message: str
) -> None:
    def compute(task: Any) -> Any:
        if isinstance(returned, dict) and returned["id"] is None:
            return {**returned, "id": task.id}
        return returned

    outcome = trivially(store, plan_in(tmp_path, 1), compute=compute)
    assert outcome.failed == 2
    assert all(message in failure.message for failure in store.failures().values())


def test_a_cell_whose_input_is_not_there_waits_for_it(
    store: Store, tmp_path: Path, log: Path
) -> None:
    plan, facts = plan_in(tmp_path, 2), FileHashes()
    is_there = False

    def inputs(cell: Cell) -> dict[str, Any]:
        if cell.method and not is_there:
            raise UnslantError("glove.txt cannot be read: No such file or directory.")
        return inputs_of(cell, facts)

    outcome = trivially(store, plan, inputs=inputs)
    assert (outcome.done, outcome.failed) == (2, 2)
    found = status(store)
    assert (found.failed, found.missing) == (2, 0)
    assert "glove.txt cannot be read" in found.failures[0].message
    is_there = True
    outcome = trivially(store, plan, inputs=inputs)
    assert (outcome.already, outcome.done) == (2, 2)


@pytest.mark.parametrize("damage", [b"", b"something else\n", None])
def test_damaged_cells_are_set_aside_named_and_computed_anew(
    store: Store, tmp_path: Path, log: Path, damage: bytes | None
) -> None:
    plan = plan_in(tmp_path, 3)
    trivially(store, plan)
    before = first_lines(store)
    victim = min(store.done())
    content = store.path(victim).read_bytes()
    damage = content.replace(b"lower", b"upper") if damage is None else damage
    store.path(victim).write_bytes(damage)
    assert status(store).damaged_files == (str(store.path(victim)),)
    outcome = trivially(store, plan)
    aside = store.folder / "damaged" / f"{victim}.json"
    assert (outcome.already, outcome.done, outcome.damaged) == (5, 1, (str(aside),))
    assert aside.read_bytes() == damage
    assert noted(log).count(victim) == 2
    assert first_lines(store) == before
    assert status(store).is_complete


def test_progress_counts_cells_of_the_plan(store: Store, tmp_path: Path, log: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    plan = plan_in(tmp_path, 2, ("plain", "fails"))
    trivially(store, plan, progress=lambda *what: seen.append(what))
    counted = [what for what in seen if what[0] == "Cells"]
    assert counted == [("Cells", done, 8) for done in range(9)]
    seen.clear()
    trivially(store, plan, progress=lambda *what: seen.append(what))
    assert [what for what in seen if what[0] == "Cells"] == [("Cells", 8, 8)]


def test_an_interrupt_goes_up_and_keeps_what_is_done(
    store: Store, tmp_path: Path, log: Path
) -> None:
    def interrupt(task: Any) -> dict[str, Any]:
        if len(noted(log)) == 3:
            raise KeyboardInterrupt
        return trivial.compute(task)

    plan = plan_in(tmp_path, 4)
    with pytest.raises(KeyboardInterrupt):
        trivially(store, plan, compute=interrupt)
    assert len(store.done()) == 3
    assert list(store.folder.rglob("*.partial")) == []
    outcome = trivially(store, plan)
    assert (outcome.already, outcome.done) == (3, 5)
    assert len(noted(log)) == 8


def test_a_second_run_says_that_there_is_a_first(store: Store, tmp_path: Path, log: Path) -> None:
    plan = plan_in(tmp_path, 1)
    with store.locked(), pytest.raises(OutputError, match="Another run is at work"):
        trivially(Store(store.folder), plan)
    assert trivially(store, plan).is_complete


def test_leftovers_of_a_killed_run_are_removed(store: Store, tmp_path: Path, log: Path) -> None:
    plan = plan_in(tmp_path, 1)
    trivially(store, plan)
    for folder in (store.folder, store.path(min(store.done())).parent):
        (folder / ".x.json-abc.partial").write_text("half")
    trivially(store, plan)
    assert list(store.folder.rglob("*.partial")) == []


def test_a_cell_has_one_thread_and_the_process_gets_its_threads_back(
    store: Store, tmp_path: Path
) -> None:
    def compute(task: Any) -> dict[str, Any]:
        return {"id": task.id, "threads": [one["num_threads"] for one in threadpool_info()]}

    with threadpool_limits(2):
        before = threadpool_info()
        trivially(store, plan_in(tmp_path, 1), compute=compute)
        assert threadpool_info() == before
    for cell in store.done():
        assert set(store.read(cell)["threads"]) == {1}


def test_a_worker_that_nobody_set_up_computes_in_one_thread(tmp_path: Path) -> None:
    def compute(task: Any) -> dict[str, Any]:
        return {"id": task.id, "threads": [one["num_threads"] for one in threadpool_info()]}

    _limit.cache_clear()
    (cell,) = plan_in(tmp_path, 1, methods=("",)).cells
    with threadpool_limits(2):
        found = attempt(compute, Task(cell=cell, id="ab", inputs={}))
    assert found.result is not None
    assert set(json.loads(found.result)["threads"]) == {1}


def test_a_worker_writes_the_text_that_the_file_of_its_cell_begins_with(
    store: Store, tmp_path: Path
) -> None:
    # To write it again would keep the process busy that all workers wait for.
    (cell,) = plan_in(tmp_path, 1, methods=("",)).cells
    found = attempt(lambda task: {"value": 0.5, "id": task.id}, Task(cell=cell, id="ab", inputs={}))
    assert found.result == '{"id":"ab","value":0.5}'
    store.write_text("ab", found.result, {})
    assert store.path("ab").read_text().splitlines()[0] == found.result
    assert store.read("ab") == {"id": "ab", "value": 0.5}


# Order and executors --------------------------------------------------------------------------


def shuffled(plan: Any, seed: int) -> Any:
    cells = list(plan.cells)
    random.Random(seed).shuffle(cells)
    return replace(plan, cells=tuple(cells))


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_order_and_workers_change_no_byte_of_the_results(
    store: Store, tmp_path: Path, log: Path, workers: int
) -> None:
    plan = plan_in(tmp_path, 10, methods=("", "hard", "misp"))
    trivially(store, plan)
    other = Store(tmp_path / "other")
    with ThreadPoolExecutor(workers) as pool:
        trivially(other, shuffled(plan, workers), pool)
    assert first_lines(other) == first_lines(store)
    assert len(first_lines(other)) == 30


class Counting(Executor):
    """Two threads, and the most that was ever under way."""

    workers = 2

    def __init__(self) -> None:
        self.pool, self.under_way, self.most = ThreadPoolExecutor(2), 0, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        future = self.pool.submit(fn, *args, **kwargs)
        future.add_done_callback(lambda _: setattr(self, "under_way", self.under_way - 1))
        return future


def test_only_a_few_cells_are_under_way(store: Store, tmp_path: Path, log: Path) -> None:
    executor = Counting()
    with executor.pool:
        trivially(store, plan_in(tmp_path, 50), executor)
    assert 2 <= executor.most <= 8
    assert len(store.done()) == 100


def given_out(plan: Any, workers: int) -> list[tuple[str, ...]]:
    """The methods of the cells that so many workers compute at once, all equally fast."""
    facts, rounds = FileHashes(), []
    waiting = Waiting(identified(plan, lambda cell: inputs_of(cell, facts))[1])
    while under_way := [task for _ in range(workers) if (task := waiting.next())]:
        rounds.append(tuple(task.cell.method for task in under_way))
        for task in under_way:
            waiting.finished(task)
    return rounds


def test_cells_that_share_vectors_wait_for_the_first_of_them(tmp_path: Path) -> None:
    plan = shuffled(plan_in(tmp_path, 1, ["m0", "m1", "m2"], ["", "hard", "misp"]), 1)
    alone = [("",)] * 3 + [("hard",)] * 3 + [("misp",)] * 3
    assert given_out(plan, 1) == alone
    by_two = [("", "hard"), ("", ""), ("hard", "hard"), ("misp", "misp"), ("misp",)]
    assert given_out(plan, 2) == by_two
    assert given_out(plan, 3) == [("", "hard", "misp"), ("", "", "hard"), ("hard", "misp", "misp")]
    one = plan_in(tmp_path, 1, ["m0", "m1", "m2"], ["hard"])
    assert given_out(one, 2) == [("hard", "hard"), ("hard",)]  # better than to do nothing
    seeds = plan_in(tmp_path, 2, ["m0"], ["hard", "random"])
    assert given_out(seeds, 1) == [("hard",)] * 2 + [("random",)] * 2
    assert given_out(seeds, 2) == [("hard", "random"), ("hard", "random")]
    assert given_out(seeds, 3) == [("hard", "random", "random"), ("hard",)]


class Broken(Executor):
    """An executor that breaks at the third cell, as a pool of processes does."""

    calls = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        if self.calls < 3:
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(BrokenProcessPool("a process was terminated abruptly"))
        return future


def test_an_executor_that_breaks_ends_the_run_in_one_sentence(
    store: Store, tmp_path: Path, log: Path
) -> None:
    plan = plan_in(tmp_path, 5)
    with pytest.raises(UnslantError, match=r"The workers are gone .* study resume"):
        trivially(store, plan, Broken())
    assert store.failures() == {}
    assert trivially(store, plan).is_complete
    assert len(set(noted(log))) == 10


def test_a_worker_with_another_version_computes_nothing(
    store: Store, tmp_path: Path, log: Path
) -> None:
    def inputs(cell: Cell) -> dict[str, Any]:
        return {**inputs_of(cell, facts), "version": "0.0.1"}

    facts = FileHashes()
    assert trivially(store, plan_in(tmp_path, 1), inputs=inputs).failed == 2
    messages = [json.loads(path.read_text())["message"] for path in store.folder.glob("failures/*")]
    assert all("Install the same version everywhere" in message for message in messages)
    assert noted(log) == []
