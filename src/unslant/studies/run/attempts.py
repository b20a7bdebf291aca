"""Cells in progress at an executor, a bounded number, and their outcomes."""

import os
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from pathlib import Path
from typing import ParamSpec, TypeVar

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.studies.run.processes import WorkerDiedError
from unslant.studies.run.schedule import Waiting
from unslant.studies.run.task import Attempt, Compute, Task, attempt

# Where cells are computed: here, in processes of this machine, or on a Dask cluster.
#
# Each is a `concurrent.futures.Executor`, and any other will do as well.

P = ParamSpec("P")
T = TypeVar("T")

_AHEAD = 4

DOUBTFUL = "KilledWorker"
"""The error of Dask for a cell whose workers died. It blames what waited there as well."""


class InProcess(Executor):
    """Computes each cell at once, in this process."""

    window = 1  # what has been computed is written before the next begins

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The finished future of a call; Ctrl-C is raised, not stored."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def window_of(executor: Executor) -> int:
    """How many cells to keep in progress: enough for all workers, too few to fill memory."""
    if window := getattr(executor, "window", None):
        return int(window)
    workers = getattr(executor, "workers", None) or getattr(executor, "_max_workers", None)
    return _AHEAD * int(workers or os.cpu_count() or 1)


def lost_worker(error: BaseException) -> str:
    """The sentence for an error that means that a worker died with the cell; otherwise nothing."""
    if isinstance(error, WorkerDiedError):
        return str(error)
    if type(error).__name__ == DOUBTFUL:  # by name: Dask need not be installed
        return (
            "The Dask workers died each time that they were given this cell; they may be short of "
            "memory. Try again with larger workers and --retry."
        )
    return ""


_LOOK_SECONDS = 5.0
_NO_WORKER = "Waiting for a Dask worker"


def attempts(
    tasks: Sequence[Task],
    compute: Compute,
    executor: Executor,
    folder: Path,
    progress: Progress | None = None,
) -> Iterator[tuple[Task, Attempt]]:
    """Yield the outcome of each task as it finishes, with a bounded number in progress.

    A cell that was at a worker when another took it down may be blamed for it. Such cells are
    tried once more at the end, one at a time, where no other cell can be at fault.
    """
    waiting = Waiting(tasks)
    suspects: deque[Task] = deque()
    is_alone = False
    under_way: dict[Future[Attempt], Task] = {}
    try:
        while True:
            while len(under_way) < window_of(executor) and (task := waiting.next()):
                under_way[executor.submit(attempt, compute, task)] = task
            if not under_way and suspects:
                is_alone, task = True, suspects.popleft()
                under_way[executor.submit(attempt, compute, task)] = task
            if not under_way:
                return
            for future in _finished(under_way, executor, progress):
                task, outcome = under_way.pop(future), _attempt_of(future)
                # Also for a suspect: otherwise the rest of its group would come last, as if it
                # were still running.
                waiting.finished(task)
                if outcome.kind == DOUBTFUL and not is_alone:
                    suspects.append(task)
                else:
                    yield task, outcome
    except (BrokenExecutor, CancelledError) as error:
        why = str(error) or getattr(executor, "trouble", "") or "stopped from elsewhere"
        raise UnslantError(
            f"The workers are gone ({why}). What is done is kept; go on with "
            f'"unslant study resume {folder}".'
        ) from error
    finally:
        for future in under_way:
            future.cancel()


def _finished(
    under_way: Collection[Future[Attempt]], executor: Executor, progress: Progress | None
) -> set[Future[Attempt]]:
    """Wait for finished attempts; meanwhile report if there is no worker."""
    has_waited = False
    while not (done := wait_for(under_way, _LOOK_SECONDS, FIRST_COMPLETED).done):
        if progress and getattr(executor, "is_deserted", False):
            progress(_NO_WORKER, 0, 1)
            has_waited = True
    if progress and has_waited:
        progress(_NO_WORKER, 1, 1)
    return done


def _attempt_of(future: Future[Attempt]) -> Attempt:
    """The attempt's outcome; executor errors count as this cell's failure."""
    try:
        return future.result()
    # The whole executor is gone, which is not this cell's fault; ``attempts`` reports it.
    except (BrokenExecutor, CancelledError):
        raise
    except Exception as error:
        message = lost_worker(error) or f"The cell could not be sent to a worker or back: {error}"
        return Attempt(message=message, kind=type(error).__name__)
