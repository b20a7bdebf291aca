"""``unslant study``: grids of resources × methods × measures, resumable, here or on a cluster."""

import shlex
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unslant.cli import shared
from unslant.core.errors import UnslantError
from unslant.core.visible import visible
from unslant.studies.plan.cells import Plan
from unslant.studies.plan.reading import read_plan

# What runs a plan is imported after the plan is read: a mistake in it is then reported at once.
if TYPE_CHECKING:
    from unslant.studies.run.run import Outcome
    from unslant.studies.run.store import Store

INCOMPLETE = 1
"""The exit code if cells of a study are missing."""

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a study.")]
WorkersOption = Annotated[
    int, typer.Option("--workers", help="Processes on this machine that compute cells.")
]
DaskOption = Annotated[
    str | None,
    typer.Option("--dask", help="The address of a Dask scheduler, as in tcp://host:8786."),
]
RetryOption = Annotated[bool, typer.Option("--retry", help="Try again what failed before.")]


def run_plan(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan as a TOML file.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder that keeps the results.")
    ],
    workers: WorkersOption = 1,
    address: DaskOption = None,
    retry: RetryOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Compute every cell of a plan that the folder does not have yet.

    Example: unslant study run examples/quick.toml -o quick

    Every finished cell is saved at once; the same command, or resume, continues after any stop.
    Exits with status 1 if a cell failed.
    """
    plan = read_plan(plan_file)
    from unslant.studies.run.store import Store

    _run(plan, Store(output), workers, address, retry, as_json)


def resume(
    folder: FolderArgument,
    workers: WorkersOption = 1,
    address: DaskOption = None,
    retry: RetryOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Continue the study in a folder.

    Exits with status 1 if a cell failed.
    """
    from unslant.studies.run.store import Store

    store = Store(folder)
    _run(store.plan(), store, workers, address, retry, as_json)


def _run(
    plan: Plan, store: "Store", workers: int, address: str | None, retry: bool, as_json: bool
) -> None:
    from unslant.studies.run.run import run
    from unslant.studies.study_record import study_record

    try:
        with _executor(workers, address) as executor, shared.progress_bar() as progress:
            outcome = run(plan, store, executor, retry=retry, progress=progress)
    except KeyboardInterrupt:
        shared.note(f"Finished cells are kept. Continue with: {_command('study resume', store)}")
        raise
    if as_json:
        found = study_record(store.folder).conclusion if outcome.is_complete else None
        verdict = {"verdict": found.sentence} if found else {}
        shared.print_json({**asdict(outcome), "is_complete": outcome.is_complete, **verdict})
    else:
        _say(outcome, store)
    if not outcome.is_complete:
        raise typer.Exit(INCOMPLETE)


def _say(outcome: "Outcome", store: "Store") -> None:
    from unslant.studies.study_record import study_record

    for note in (outcome.note, *(f"Damaged, computed again: {file}" for file in outcome.damaged)):
        if note:
            shared.note(note)
    cells = "cell" if outcome.done == 1 else "cells"
    lines = [
        f"{outcome.done:,} {cells} computed, {outcome.already:,} there before, {outcome.failed:,} "
        f"failed, of {outcome.planned:,}."
    ]
    if outcome.failed:
        lines.append(f"Why: {_command('study status', store)}")
    if outcome.is_complete and (found := study_record(store.folder).conclusion):
        lines.append(visible(found.sentence))
    lines.append(f"Table: {_command('export table', store)}")
    for line in lines:
        shared.say(line)


def _command(verb: str, store: "Store") -> str:
    return f"unslant {verb} {shlex.quote(str(store.folder))}"


@contextmanager
def _executor(workers: int, address: str | None) -> Iterator[Executor]:
    if address is not None and workers != 1:
        raise UnslantError("Name --workers or --dask, not both.")
    if address is not None:
        from unslant.studies.run.cluster import dask

        executor: Executor = dask(address)
    elif workers == 1:
        from unslant.studies.run.attempts import InProcess

        executor = InProcess()
    else:
        from unslant.studies.run.processes import Processes

        executor = Processes(workers)
    with executor:
        yield executor
