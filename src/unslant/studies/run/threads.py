"""One thread of linear algebra for each cell, wherever it is computed.

Threads add sums in a different order, and the last digits of a number would reveal how
many cores computed it. Besides, workers that each ask for all cores wait for each other; a study
has cells enough to keep all cores busy.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import get_ident

from threadpoolctl import threadpool_limits

_SETTINGS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
_OURS = "UNSLANT_THREADS"  # of numerics.chunks, which would load numpy before its limit is set


def one_thread_from_now_on() -> None:
    """Limit the libraries that are loaded; cheap unless more have been loaded since."""
    # The number of loaded modules shows whether a library may have been loaded since; the cache
    # then makes the check free for cells that load nothing new.
    _limit(get_ident(), len(sys.modules))


@lru_cache(maxsize=64)  # OpenMP keeps its limit by thread, and a search for libraries takes 2 ms
def _limit(thread: int, modules: int) -> None:
    threadpool_limits(1)


@contextmanager
def threads_as_before() -> Iterator[None]:
    """Limit this process to one thread, then restore its limits.

    A library that is first loaded in between, by the first cell that needs it, finds its limit in
    the environment, and keeps it.
    """
    before = {name: os.environ.get(name) for name in _SETTINGS}
    os.environ.update(dict.fromkeys(_SETTINGS, "1"))
    try:
        with threadpool_limits(1):
            yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def set_one_thread() -> None:
    """Limit this process, a worker, and the libraries that it is still to load."""
    os.environ.update(dict.fromkeys((*_SETTINGS, _OURS), "1"))
