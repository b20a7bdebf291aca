"""Where cells are computed: here, in processes of this machine, or on a Dask cluster.

Each is a ``concurrent.futures.Executor``, and any other will do as well.
"""

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

from unslant.studies.run.processes import WorkerDiedError

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
