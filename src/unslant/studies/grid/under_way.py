"""Cells under way at an executor: a bounded number, and whatever becomes of them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from pathlib import Path

from unslant.core.errors import UnslantError
from unslant.studies.grid.executors import lost_worker, window_of
from unslant.studies.grid.schedule import Waiting
from unslant.studies.grid.task import Attempt, Compute, Task, attempt


def attempts(
    tasks: Sequence[Task], compute: Compute, executor: Executor, folder: Path
) -> Iterator[tuple[Task, Attempt]]:
    """What comes of each task, as it comes, with a bounded number of them under way."""
    waiting = Waiting(tasks)
    under_way: dict[Future[Attempt], Task] = {}
    try:
        while True:
            while len(under_way) < window_of(executor) and (task := waiting.next()):
                under_way[executor.submit(attempt, compute, task)] = task
            if not under_way:
                return
            for future in wait_for(under_way, return_when=FIRST_COMPLETED).done:
                task, found = under_way.pop(future), _attempt_of(future)
                waiting.finished(task)
                yield task, found
    except (BrokenExecutor, CancelledError) as error:
        why = str(error) or "stopped from elsewhere"
        raise UnslantError(
            f"The workers are gone ({why}). What is done is kept; go on with "
            f'"unslant study resume {folder}".'
        ) from error
    finally:
        for future in under_way:
            future.cancel()


def _attempt_of(future: Future[Attempt]) -> Attempt:
    """What a future came to; errors of the executor itself are failures of this one cell."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError):
        raise
    except Exception as error:
        message = lost_worker(error) or f"The cell could not be sent to a worker or back: {error}"
        return Attempt(message=message, kind=type(error).__name__)
