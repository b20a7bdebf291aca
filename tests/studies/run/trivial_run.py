"""Runs of the trivial study in processes that may be killed: ``python -m … FOLDER [STORE]``.

Imports once and then forks a run of the plan FOLDER/trivial.toml for each line that it reads, so
that a hundred runs take seconds. A line is the folder of the store, and for a disk that fills up
the number of the flush from which on it is full. Says the process id of the run, and after another
line its exit code. With STORE, runs at once and there, in two worker processes.
"""

import errno
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.studies.run import trivial
from unslant.core.errors import UnslantError
from unslant.studies.plan.cells import Plan
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.identity import FileHashes, inputs_of
from unslant.studies.run.processes import Processes
from unslant.studies.run.run import run
from unslant.studies.run.store import Store


class Acknowledging(Store):
    """Notes each cell in a file beside its folder, once it is written."""

    def write_text(self, cell: str, result: str, times: Mapping[str, Any]) -> None:
        super().write_text(cell, result, times)
        trivial.note(f"{self.folder}.acknowledged", cell)


def fill_up(flush: int) -> None:
    """From the given flush on, the disk of this process is full."""
    real, so_far = os.fsync, iter(range(1, 1 << 30))

    def fsync(handle: int) -> None:
        if next(so_far) >= flush:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    os.fsync = fsync  # type: ignore[assignment]


def one_run(plan: Plan, facts: FileHashes, line: str) -> None:
    folder, _, flush = line.partition("\t")
    os.environ["TRIVIAL_LOG"] = f"{folder}.log"
    if flush:
        fill_up(int(flush))
    try:
        run(
            plan,
            Acknowledging(folder),
            compute=trivial.compute,
            inputs=lambda cell: inputs_of(cell, facts),
        )
    except UnslantError as error:
        Path(f"{folder}.message").write_text(str(error))
        os._exit(2)
    os._exit(0)


def main(folder: str, store: str = "") -> None:
    plan = read_plan(Path(folder) / "trivial.toml")
    if store:
        os.environ["TRIVIAL_LOG"] = f"{store}.log"
        with Processes(2) as pool:
            run(plan, Acknowledging(store), pool, compute=trivial.compute)
        return
    facts = FileHashes()
    inputs_of(plan.cells[0], facts)
    print(os.getpid(), flush=True)  # ready
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            one_run(plan, facts, line.rstrip("\n"))
        print(child, flush=True)
        next(sys.stdin)  # until then the process id stays its own, even if it is over
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
