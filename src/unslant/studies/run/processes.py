"""Worker processes of this machine that are replaced when they die."""

import os
import queue
import signal
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from unslant.core.errors import UnslantError
from unslant.studies.run.task import set_one_thread

P = ParamSpec("P")
T = TypeVar("T")

TRIES = 3
"""How many worker processes one cell may take down before it counts as failed."""


class WorkerDiedError(UnslantError):
    """A cell whose worker process died, each time that it was tried."""


class Processes(Executor):
    """Worker processes, each replaced when it dies; its cell is then tried again.

    Every worker is a pool of one. In a common pool the death of one ends all, and nobody could
    tell which cell was at fault.
    """

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise UnslantError(f"The number of workers must be at least 1, not {workers}.")
        self.window = 2 * workers  # so that a worker never waits for its next cell
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="unslant-worker")
        self._is_over = self._is_used = False
        self._idle: queue.SimpleQueue[ProcessPoolExecutor] = queue.SimpleQueue()
        self._pools = [self._new_pool() for _ in range(workers)]
        for pool in self._pools:
            self._idle.put(pool)

    def begin(self, fn: Callable[..., object]) -> None:
        """Start the workers, which load what ``fn`` needs while this process still plans."""
        for pool in self._pools:
            pool.submit(callable, fn)  # to receive a function is to import its module

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future of a call in one of the processes."""
        self._is_used = True
        return self._threads.submit(self._called, lambda pool: pool.submit(fn, *args, **kwargs))

    def _called(self, call: Callable[[ProcessPoolExecutor], Future[T]]) -> T:
        for _ in range(TRIES):
            pool = self._idle.get()
            try:
                return call(pool).result()
            except BrokenProcessPool:
                # Without waiting: a broken pool has no process left to wait for.
                pool.shutdown(wait=False)
                if self._is_over:
                    raise CancelledError from None
                self._pools.remove(pool)
                pool = self._new_pool()
                self._pools.append(pool)
            finally:
                self._idle.put(pool)
        raise WorkerDiedError(
            f"The worker process died {TRIES} times while it computed this cell; the machine may "
            f"be short of memory. Try again with fewer workers and --retry."
        )

    def _new_pool(self) -> ProcessPoolExecutor:
        # Spawned, not forked: a fork would copy locks of BLAS and torch threads in any state, and
        # the child could wait for them for ever.
        return ProcessPoolExecutor(1, get_context("spawn"), _begin_worker)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers once they have nothing to do."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        with ThreadPoolExecutor(len(self._pools)) as all_at_once:  # each takes a while to end
            for pool in self._pools:
                all_at_once.submit(pool.shutdown, wait, cancel_futures=cancel_futures)

    def kill(self) -> None:
        """End the workers at once; what they compute is lost, and nothing that is written."""
        self._is_over = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for pool in list(self._pools):
            # The pool has no public way to kill its process; ``shutdown`` waits for the running
            # call. The attribute is None once the pool was shut down.
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.kill()

    def __exit__(self, kind: Any, *rest: Any) -> None:
        # Nobody who presses Ctrl-C waits for a cell of ten minutes, and nobody who has nothing to
        # compute for workers that are still loading.
        if kind is not None or not self._is_used:
            self.kill()
        self.shutdown(wait=True)


def _begin_worker() -> None:
    """Be content with one core, and end when the main process does."""
    set_one_thread()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process, which ends us
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    # A worker whose main process was killed would wait for its next cell for ever.
    parent = parent_process()
    if parent is not None:
        parent.join()
        # Not sys.exit, which would only end this thread.
        os._exit(1)
