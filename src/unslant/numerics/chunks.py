"""Process large matrices in blocks of rows."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

BLOCK_BYTES = 4 << 20

THREADS = "UNSLANT_THREADS"
"""The environment variable that limits the threads for one task."""

_MOST_THREADS = 4

A = TypeVar("A")
B = TypeVar("B")


def row_blocks(rows: int, row_bytes: int, block_bytes: int = BLOCK_BYTES) -> Iterator[slice]:
    """Slices that cover ``rows`` rows, each of about ``block_bytes``."""
    step = max(1, block_bytes // max(1, row_bytes))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def ordered_parallel(
    work: Callable[[A], B], items: Iterable[A], threads: int = 0
) -> Generator[B, None, None]:
    """``map`` on several threads, in order, with a bounded number of items in progress."""
    threads = threads or _usual_threads()
    if threads == 1:
        yield from map(work, items)
        return
    waiting: deque[Future[B]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > threads + 1:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _usual_threads() -> int:
    """The number of cores, up to 4, or fewer if the environment says so."""
    most = min(_MOST_THREADS, os.cpu_count() or 1)
    setting = os.environ.get(THREADS, "")
    return max(1, min(most, int(setting))) if setting.isdecimal() else most


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run each matrix product on one core, for work that is already spread over cores.

    Two threads that each ask for all cores wait for each other: on two cores the same products
    took up to twenty times as long (measured under load).
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield


def reuse_freed_memory() -> None:
    """Ask the C library to keep the memory of freed block-sized arrays for the next block.

    glibc returns every array over 128 kB to the system when it is freed, and the page faults of
    allocating it again cost as much as the arithmetic (measured: 74 against 41 ns per number). It
    raises that limit once a larger array has been freed, so this frees one. On other systems it
    does nothing.
    """
    del_me = np.empty(31 << 20, dtype=np.uint8)
    del del_me
