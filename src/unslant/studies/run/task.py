"""One cell as work that can be sent anywhere, and what came of it, to be sent back."""

import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from threading import get_ident
from typing import Any

from threadpoolctl import threadpool_limits

from unslant.core.errors import UnslantError
from unslant.core.version import __version__
from unslant.studies.plan.cells import Cell
from unslant.studies.run.store import canonical

# One thread of linear algebra for each cell, wherever it is computed.
#
# Threads add sums in a different order, and the last digits of a number would reveal how many
# cores computed it. Besides, workers that each ask for all cores wait for each other; a study has
# cells enough to keep all cores busy.

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
def threads_restored() -> Iterator[None]:
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
    threadpool_limits(1)  # numpy is loaded by now and no longer reads the environment


CACHE_BYTES = 8 << 30
"""How much the debiased vectors and neighbour lists of studies may take on one machine's disk."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """A cell with its id and all that its number depends on; small, because it travels."""

    cell: Cell
    id: str
    inputs: Mapping[str, Any]
    cache_bytes: int = CACHE_BYTES


Compute = Callable[[Task], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """The outcome of one cell: a result, or a message that says why there is none.

    The result is canonical JSON, as its file has it: workers write it, so that the process that
    waits for all of them has nothing to do but to keep it. ``kind`` is the type of the error;
    ``trace`` is set only if the error is a bug.
    """

    result: str | None = None
    message: str = ""
    kind: str = ""
    trace: str = ""
    seconds: float = 0.0
    machine: str = ""


def attempt(compute: Compute, task: Task) -> Attempt:
    """Compute a cell on this machine; an error comes back as text.

    Errors are not sent as they are: one whose constructor takes more than a message cannot be
    unpacked by the process that waits for it, and would take the whole pool down.
    """
    begun = time.perf_counter()
    result, message, kind, trace = None, "", "", ""
    try:
        _check_version(str(task.inputs.get("version", __version__)))
        one_thread_from_now_on()
        record = compute(task)
        if record.get("id") != task.id:
            raise ValueError(f"the result of cell {task.id} says that it is {record.get('id')}")
        result = canonical(
            record
        )  # a value that JSON cannot express fails here, with its traceback
    except UnslantError as error:
        message, kind = str(error), type(error).__name__
    except Exception as error:
        kind, trace = type(error).__name__, traceback.format_exc()
        message = f"This is a bug of Unslant or of a library ({kind}: {error})."
    return Attempt(
        result=result,
        message=message,
        kind=kind,
        trace=trace,
        seconds=time.perf_counter() - begun,
        machine=platform.node(),
    )


def _check_version(planned: str) -> None:
    if planned != __version__:
        raise UnslantError(
            f"The worker on {platform.node()} has Unslant {__version__}, and the study was started "
            f"with {planned}. Install the same version everywhere."
        )
