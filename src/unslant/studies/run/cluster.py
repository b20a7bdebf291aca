"""A Dask cluster as an executor."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from unslant.core.errors import UnslantError
from unslant.core.extras import extra_for

P = ParamSpec("P")
T = TypeVar("T")

_COUNT_SECONDS = 5.0


class Dask(Executor):
    """A Dask cluster, which starts cells again elsewhere when a worker is lost."""

    def __init__(self, client: Any) -> None:
        self._client, self._inner = client, client.get_executor(pure=False)
        self._threads, self._counted = 1, 0.0
        self._log = logging.getLogger("distributed.client")
        self._level = self._log.level
        self._log.setLevel(logging.CRITICAL)  # that it is gone we say ourselves, in one sentence

    @property
    def workers(self) -> int:
        """The threads of all workers, which may come and go; at least one, which may come yet."""
        return self._counted_threads() or 1

    @property
    def is_deserted(self) -> bool:
        """Whether there is currently no worker."""
        return not self._counted_threads()

    @property
    def trouble(self) -> str:
        """Why nothing can be computed any more, if so."""
        return "" if self._client.status == "running" else "the Dask scheduler is gone"

    def _counted_threads(self) -> int:
        """The number of worker threads, refreshed now and then."""
        if time.monotonic() - self._counted > _COUNT_SECONDS:
            with suppress(OSError, TimeoutError):  # the next submission says that it is gone
                self._threads = sum(self._client.nthreads().values())
            self._counted = time.monotonic()
        return self._threads

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future of a call on the cluster."""
        if self.trouble:
            raise BrokenExecutor(self.trouble)
        future: Future[T] = self._inner.submit(fn, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which keeps running."""
        self._inner.shutdown(wait=wait and not cancel_futures)
        self._client.close()
        self._log.setLevel(self._level)

    def __exit__(self, kind: Any, *rest: Any) -> None:
        self.shutdown(cancel_futures=kind is not None)


def dask(address: str, *, wait_seconds: float = 10) -> Dask:
    """Compute the cells on the Dask cluster whose scheduler is at ``address``."""
    distributed = extra_for("A study on Dask", "distributed", "dask")
    try:
        client = distributed.Client(address, timeout=wait_seconds, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UnslantError(
            f'No Dask scheduler answers at {address}. Start one with "dask scheduler" and use the '
            f"address that it prints, such as tcp://192.0.2.1:8786."
        ) from error
    try:
        client.wait_for_workers(1, timeout=wait_seconds)
    except TimeoutError as error:
        client.close()
        raise UnslantError(
            f"The Dask scheduler at {address} has no workers. Start one on each machine with "
            f'"dask worker {address}".'
        ) from error
    return Dask(client)
