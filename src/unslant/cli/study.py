"""``unslant study``: grids of resources × methods × measures, resumable, here or on a cluster."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from unslant.cli import shared
from unslant.core.errors import UnslantError
from unslant.reports.grids import grid_tables, grid_text
from unslant.reports.words import visible
from unslant.studies.grid.answers import correlate, diff, rank, stored_rows, table
from unslant.studies.grid.cells import Plan
from unslant.studies.grid.executors import dask, in_process, processes
from unslant.studies.grid.plan import read_plan
from unslant.studies.grid.run import Outcome, run
from unslant.studies.grid.single import found_cell, recomputed
from unslant.studies.grid.status import status
from unslant.studies.grid.store import Store

DIFFERENT = 1
INCOMPLETE = 1
"""Exit codes for scripts: two studies differ, or a study lacks cells."""

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a study.")]
WorkersOption = Annotated[
    int, typer.Option("--workers", help="Processes on this machine that compute cells.")
]
DaskOption = Annotated[
    str | None,
    typer.Option("--dask", help="The address of a Dask scheduler, as in tcp://host:8786."),
]
RetryOption = Annotated[bool, typer.Option("--retry", help="Try again what failed before.")]
FormatOption = Annotated[
    str | None, typer.Option("--format", help="csv, markdown, latex or json; a table if none.")
]
DigitsOption = Annotated[int, typer.Option("--digits", help="Digits after the point.")]
ByOption = Annotated[
    list[str] | None,
    typer.Option("--by", help="What a row is: resource, method, concept, seed; repeatable."),
]


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    group = typer.Typer(
        help="Grids of resources × methods × measures: one file, one command, resumable.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    for name, verb in (
        ("run", run_plan),
        ("resume", resume),
        ("status", show_status),
        ("table", show_table),
        ("correlate", show_correlations),
        ("rank", show_ranking),
        ("diff", show_differences),
        ("show", show_cell),
        ("recompute", recompute),
    ):
        group.command(name)(verb)
    app.add_typer(group, name="study")


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

    Every finished cell is kept at once; the same command, or resume, goes on after any stop.
    """
    _run(read_plan(plan_file), Store(output), workers, address, retry, as_json)


def resume(
    folder: FolderArgument,
    workers: WorkersOption = 1,
    address: DaskOption = None,
    retry: RetryOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Go on with the study in a folder."""
    store = Store(folder)
    _run(store.plan(), store, workers, address, retry, as_json)


def show_status(folder: FolderArgument, as_json: shared.JsonOption = False) -> None:
    """How far a study is: done, failed, damaged, missing."""
    with shared.progress_bar() as progress:
        found = status(Store(folder), progress)
    if as_json:
        shared.print_json({**asdict(found), "is_complete": found.is_complete})
        return
    shared.out.print(f'"{found.plan}": {found}', markup=False)
    for failure in found.failures:
        name = "/".join(map(str, failure.label))
        shared.out.print(visible(f"Failed: {name}: {failure.message}"), markup=False)
    for damaged in found.damaged_files:
        shared.out.print(visible(f"Damaged: {damaged}"), markup=False)


def show_table(
    folder: FolderArgument,
    by: ByOption = None,
    form: FormatOption = None,
    digits: DigitsOption = 3,
) -> None:
    """The numbers: resources and methods down, measures across."""
    _show(table(stored_rows(Store(folder)), **_by(by)), form, digits)


def show_correlations(
    folder: FolderArgument,
    against: Annotated[
        str | None, typer.Option("--with", help="Only the pairs with this measure.")
    ] = None,
    by: ByOption = None,
    form: FormatOption = None,
    digits: DigitsOption = 2,
    seed: Annotated[int, typer.Option(help="The seed of resamples and permutations.")] = 0,
) -> None:
    """Which measures go together, with intervals, p-values and how little n rows can say."""
    with shared.progress_bar() as progress:
        found = correlate(
            stored_rows(Store(folder)), against=against, seed=seed, progress=progress, **_by(by)
        )
    _show(found, form, digits)


def show_ranking(
    folder: FolderArgument,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--on", help="A measure to rank by, such as a bias and a quality; repeatable."
        ),
    ] = None,
    better: Annotated[
        list[str] | None,
        typer.Option(
            "--better", help="Which way is better, as in MIDB=0 or E=smaller; repeatable."
        ),
    ] = None,
    by: ByOption = None,
    form: FormatOption = None,
    digits: DigitsOption = 3,
) -> None:
    """Who is best where several measures count: the Pareto front, and who dominates whom."""
    rows = stored_rows(Store(folder))
    _show(rank(rows, measures or (), better=_directions(better), **_by(by)), form, digits)


def show_differences(
    first: Annotated[Path, typer.Argument(metavar="A", help="The folder of a study.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="The folder of another.")],
    form: FormatOption = None,
    digits: DigitsOption = 3,
) -> None:
    """What changed between two studies; ends with 1 where anything did."""
    found = diff(stored_rows(Store(first)), stored_rows(Store(second)))
    _show(found, form, digits)
    if not found["is_same"]:
        raise typer.Exit(DIFFERENT)


CellArgument = Annotated[
    str,
    typer.Argument(
        metavar="CELL", help="The first digits of a cell's id, or resource/method/measure."
    ),
]


def show_cell(folder: FolderArgument, name: CellArgument) -> None:
    """The full record of a cell as JSON, and the command that computes it again."""
    store = Store(folder)
    entry = found_cell(store, name)
    shared.print_json({**store.read(entry.id), "times": store.times(entry.id)})
    shared.err.print(
        f"Compute it again: unslant study recompute {folder} {entry.id}",
        soft_wrap=True,
        markup=False,
    )


def recompute(
    folder: FolderArgument, name: CellArgument, as_json: shared.JsonOption = False
) -> None:
    """Compute one cell anew, alone, and say whether it agrees; ends with 1 where it does not."""
    store = Store(folder)
    entry = found_cell(store, name)
    found = recomputed(store, entry)
    is_equal = found == store.read(entry.id)
    if as_json:
        shared.print_json({"is_equal": is_equal, "result": found})
    else:
        value = found["measurement"]["value"]
        said = "the same as" if is_equal else "NOT the same as"
        shared.out.print(f"{value} ({said} the record of {entry.id})", markup=False)
    if not is_equal:
        raise typer.Exit(DIFFERENT)


def _run(
    plan: Plan, store: Store, workers: int, address: str | None, retry: bool, as_json: bool
) -> None:
    with _executor(workers, address) as executor, shared.progress_bar() as progress:
        outcome = run(plan, store, executor, retry=retry, progress=progress)
    if as_json:
        shared.print_json({**asdict(outcome), "is_complete": outcome.is_complete})
    else:
        _say(outcome, store)
    if not outcome.is_complete:
        raise typer.Exit(INCOMPLETE)


def _say(outcome: Outcome, store: Store) -> None:
    for note in (outcome.note, *(f"Damaged, computed anew: {file}" for file in outcome.damaged)):
        if note:
            shared.err.print(visible(note), markup=False, style="yellow", soft_wrap=True)
    shared.out.print(
        f"{outcome.done:,} cells computed, {outcome.already:,} there before, {outcome.failed:,} "
        f"failed, of {outcome.planned:,}.",
        markup=False,
    )
    if outcome.failed:
        shared.out.print(f"Why: unslant study status {store.folder}", markup=False)
    shared.out.print(f"Table: unslant study table {store.folder}", markup=False, soft_wrap=True)


@contextmanager
def _executor(workers: int, address: str | None) -> Iterator[Executor]:
    if address is not None and workers != 1:
        raise UnslantError("Name --workers or --dask, not both.")
    if address is not None:
        executor: Executor = dask(address)
    else:
        executor = in_process() if workers == 1 else processes(workers)
    with executor:
        yield executor


def _by(by: list[str] | None) -> dict[str, Any]:
    return {"by": by} if by else {}


def _directions(given: list[str] | None) -> dict[str, str]:
    found = {}
    for text in given or []:
        label, equals, way = text.rpartition("=")
        if not equals or not label:
            raise UnslantError(
                f'A direction is a measure and a way, as in "E=smaller", not "{text}".'
            )
        found[label] = way
    return found


def _show(record: dict[str, Any], form: str | None, digits: int) -> None:
    if not 0 <= digits <= 12:
        raise UnslantError(f"The number of digits must be from 0 to 12, not {digits}.")
    if form is None:
        shared.out.print(grid_tables(record, digits))
    else:
        shared.out.file.write(grid_text(record, form, digits))
