"""Work in the background: queued, watched, cancelled, and kept for a while when it is done.

Two threads work, one for what answers within a second or two and one for what takes longer, so
that a look at vectors never waits for a method that trains. The same work requested twice is one
job. Cancelling is noted at once; the thread ends at the next step that reports progress.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unslant.core.errors import UnslantError

log = logging.getLogger("unslant.web")

Report = Callable[[str, int, int], None]
Work = Callable[[Report], Any]

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
OVER = (DONE, FAILED, CANCELLED)

MOST_WAITING = 8
MOST_KEPT = 24
LONGEST_SECONDS = 1800.0
BUG = "Something went wrong; see the terminal that the server was started from."


class CancelledError(Exception):
    """Ends the thread of a cancelled job; neither an input error nor a bug."""


class TooBusyError(UnslantError):
    """More work than the server takes on at a time."""


@dataclass(eq=False)
class Job:
    """One piece of work and how far it is."""

    key: tuple[Any, ...]
    work: Work
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: str = WAITING
    doing: str = ""
    done: int = 0
    total: int = 0
    error: str = ""
    result: Any = None
    begun: float = 0.0
    seconds: float = 0.0
    is_cancelled: bool = False

    def told(self) -> dict[str, Any]:
        """The job's status for the page."""
        now = time.monotonic()
        return {
            "id": self.id,
            "state": self.state,
            "doing": self.doing,
            "done": self.done,
            "total": self.total,
            "error": self.error,
            "seconds": self.seconds or (now - self.begun if self.begun else 0.0),
        }


class Jobs:
    """All jobs of a server, by id; of those that are over, the last ones."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._jobs: dict[str, Job] = {}
        self._queues: dict[str, list[Job]] = {"quick": [], "long": []}
        self._is_closed = False
        self._threads = [
            threading.Thread(target=self._serve, args=(lane,), name=f"unslant-{lane}", daemon=True)
            for lane in self._queues
        ]
        for thread in self._threads:
            thread.start()

    def start(
        self,
        key: tuple[Any, ...],
        work: Work,
        *,
        lane: str = "long",
        still_holds: Callable[[Any], bool] = lambda result: True,
    ) -> Job:
        """Queue work, unless the same work is queued, in progress or done.

        ``still_holds`` checks whether an earlier result is still valid.
        """
        with self._lock:
            for job in self._jobs.values():
                if job.key != key or job.is_cancelled or job.state == FAILED:
                    continue
                if job.state != DONE or still_holds(job.result):
                    self._jobs[job.id] = self._jobs.pop(job.id)  # evicted last
                    return job
            if len(self._queues[lane]) >= MOST_WAITING:
                raise TooBusyError(
                    f"{MOST_WAITING} jobs are waiting already. Cancel one, or wait for one to end."
                )
            job = Job(key, work)
            if self._is_closed:  # no worker would ever take it
                job.is_cancelled, job.state = True, CANCELLED
                return job
            self._jobs[job.id] = job
            self._queues[lane].append(job)
            self._forget()
            self._lock.notify_all()
            return job

    def find(self, id: str) -> Job | None:
        """The job of that id, if it is still known."""
        with self._lock:
            return self._jobs.get(id)

    def cancel(self, id: str) -> Job | None:
        """Cancel an unfinished job; it is reported as cancelled from now on."""
        with self._lock:
            job = self._jobs.get(id)
            if job is not None and job.state not in OVER:
                job.is_cancelled, job.state = True, CANCELLED
                for queue in self._queues.values():
                    if job in queue:
                        queue.remove(job)
                self._lock.notify_all()
            return job

    def wait(self, job: Job, seconds: float) -> bool:
        """Wait until a job is over, for at most so long; whether it is."""
        with self._lock:
            return self._lock.wait_for(lambda: job.state in OVER, seconds)

    def close(self, seconds: float = 0.0) -> None:
        """Cancel everything, refuse new work, and wait up to a limit for finishing jobs."""
        with self._lock:
            self._is_closed = True
            ids = list(self._jobs)
        for id in ids:
            self.cancel(id)
        with self._lock:
            self._lock.notify_all()
        for thread in self._threads:
            thread.join(seconds)

    def _serve(self, lane: str) -> None:
        queue = self._queues[lane]
        while True:
            with self._lock:
                self._lock.wait_for(lambda: queue or self._is_closed)
                if self._is_closed:
                    return
                job = queue.pop(0)
                job.state, job.begun = RUNNING, time.monotonic()
            self._run(job)

    def _run(self, job: Job) -> None:
        def report(doing: str, done: int, total: int) -> None:
            if job.is_cancelled:
                raise CancelledError
            if time.monotonic() - job.begun > LONGEST_SECONDS:
                raise UnslantError(
                    f"This took longer than {LONGEST_SECONDS / 60:.0f} minutes and was ended. "
                    f"Run it in a terminal instead, with: unslant debias"
                )
            job.doing, job.done, job.total = doing, done, total

        state, result, error = DONE, None, ""
        try:
            report("Starting", 0, 0)
            result = job.work(report)
        except CancelledError:
            state = CANCELLED
        except UnslantError as fault:
            state, error = FAILED, str(fault)
        except Exception:
            log.exception("A job ended by a bug.")
            state, error = FAILED, BUG
        with self._lock:
            if not job.is_cancelled:
                job.state, job.result, job.error = state, result, error
            job.seconds = time.monotonic() - job.begun
            self._lock.notify_all()

    def _forget(self) -> None:
        over = [job.id for job in self._jobs.values() if job.state in OVER]
        for id in over[: max(0, len(over) - MOST_KEPT)]:
            del self._jobs[id]
