"""Compute what a plan asks for and the store does not have yet."""

from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import UTC, datetime

from unslant.core.errors import OutputError
from unslant.core.files import Progress
from unslant.studies.plan.cells import Plan
from unslant.studies.run.attempts import InProcess, attempts
from unslant.studies.run.schedule import Inputs, identified
from unslant.studies.run.store import DAMAGED, DONE, Store
from unslant.studies.run.task import CACHE_BYTES, Attempt, Compute, Task, threads_restored


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a run, in cells of the plan.

    ``already`` were done before, ``done`` in this run; ``failed`` counts those of earlier runs that
    were not tried again as well. ``damaged`` names the files that were set aside, and ``note``
    says so if the plan replaced another.
    """

    planned: int
    already: int
    done: int
    failed: int
    damaged: tuple[str, ...] = ()
    note: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether every planned cell has its result."""
        return self.already + self.done == self.planned


def run(
    plan: Plan,
    store: Store,
    executor: Executor | None = None,
    *,
    retry: bool = False,
    progress: Progress | None = None,
    compute: Compute | None = None,
    inputs: Inputs | None = None,
    cache_bytes: int = CACHE_BYTES,
) -> Outcome:
    """Compute the cells of a plan that are not in the store; earlier failures only with ``retry``.

    Each result is written as it comes, by this process alone, and counts once it is written: a
    run that is stopped in any way goes on from there. ``inputs`` says what the number of a cell
    depends on, ``compute`` finds it; both have their place in ``identity`` and ``compute``. At
    the end the study's record is written, unless another ``compute`` found the results.
    """
    executor = executor or InProcess()
    is_ours = compute is None
    compute = compute or _compute()
    # The order matters. The plan is saved first, so that a killed run can be resumed. Workers start
    # before the cells are identified, because both take seconds and can overlap. Partial files are
    # removed under the lock, when no other run can be writing them. The index is written before any
    # cell, so that a table can name the cells that are missing.
    with store.locked(), threads_restored():
        note = store.save_plan(plan)
        if begin := getattr(executor, "begin", None):
            begin(compute)
        store.clear_partials()
        entries, tasks = identified(plan, inputs or _inputs(progress), cache_bytes)
        store.save_index(entries)
        labels: dict[str, int] = {}
        for entry in entries:
            labels[entry.id] = labels.get(entry.id, 0) + 1
        failed = labels.pop("", 0)  # no id: an input is missing
        to_do, damaged, already = [], [], 0
        failures = {} if retry else store.failures()
        for number, task in enumerate(tasks, 1):
            state = store.state(task.id)
            if progress:
                progress("Checking", number, len(tasks))
            if state == DAMAGED:
                damaged.append(str(store.set_aside(task.id)))
            if state == DONE:
                already += labels[task.id]
            elif task.id in failures:
                failed += labels[task.id]
            else:
                to_do.append(task)
        done = 0
        if progress:
            progress("Cells", already + failed, len(entries))
        for task, found in attempts(to_do, compute, executor, store.folder, progress):
            if _kept(store, task, found):
                done += labels[task.id]
            else:
                failed += labels[task.id]
            if progress:
                progress("Cells", already + done + failed, len(entries))
        # Before the record: it must not outlive cells that a power cut could still lose.
        store.settle()
        if is_ours and not store.has_record:
            from unslant.studies.study_record import write_study_record  # late: loads every metric

            write_study_record(store, progress)
    return Outcome(
        planned=len(entries),
        already=already,
        done=done,
        failed=failed,
        damaged=tuple(damaged),
        note=note,
    )


def _kept(store: Store, task: Task, found: Attempt) -> bool:
    """Write down what came of a cell; whether that is a result."""
    try:
        if found.result is None:
            store.fail(task.id, found.message, task.cell.label, kind=found.kind, trace=found.trace)
            return False
        times = {
            "seconds": round(found.seconds, 6),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": found.machine,
        }
        store.write_text(task.id, found.result, times)
        return True
    except OutputError as error:
        raise OutputError(
            f"{error} All cells before it are kept; make room or choose another disk, then go on "
            f'with "unslant study resume {store.folder}".'
        ) from error


def _inputs(progress: Progress | None) -> Inputs:
    from unslant.studies.run.identity import FileHashes, inputs_of

    facts = FileHashes(progress)
    return lambda cell: inputs_of(cell, facts)


def _compute() -> Compute:
    from unslant.studies.run.compute import compute  # late: it loads every metric and model

    return compute
