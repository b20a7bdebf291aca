"""One cell as work that can be sent anywhere, and what came of it, to be sent back."""

import platform
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.version import __version__
from unslant.studies.plan.cells import Cell
from unslant.studies.run.cell_file import canonical
from unslant.studies.run.threads import one_thread_from_now_on

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
