"""The verbs of ``unslant study`` that look at cells: status, show and recompute."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from unslant.cli import shared
from unslant.cli.study import FolderArgument
from unslant.studies.run.contents import status
from unslant.studies.run.single import found_cell, recomputed, record_of
from unslant.studies.run.store import Failure, Store

DIFFERENT = 1
"""The exit code if a cell does not agree with its record, or a study with another."""

CellArgument = Annotated[
    str,
    typer.Argument(
        metavar="CELL",
        help="The first digits of a cell's id, or resource/method/measure, with /concept/seed "
        "if several have that name.",
    ),
]


def show_status(folder: FolderArgument, as_json: shared.JsonOption = False) -> None:
    """How far a study is: done, failed, damaged, missing."""
    with shared.progress_bar() as progress:
        found = status(Store(folder), progress)
    if as_json:
        shared.print_json({**asdict(found), "is_complete": found.is_complete})
        return
    shared.say(f'"{found.plan}": {found}')
    alike: dict[str, list[Failure]] = {}
    for failure in found.failures:
        alike.setdefault(failure.message, []).append(failure)
    for message, failures in alike.items():
        name = "/".join(map(str, failures[0].label))
        more = f" and {len(failures) - 1:,} more" if len(failures) > 1 else ""
        shared.say(f"Failed: {name}{more}: {message}")
    for damaged in found.damaged_files:
        shared.say(f"Damaged: {damaged}")


def show_cell(folder: FolderArgument, name: CellArgument) -> None:
    """The full record of a cell as JSON."""
    store = Store(folder)
    entry = found_cell(store, name)
    shared.print_json({**record_of(store, entry), "times": store.times(entry.id)})
    again = f"unslant study recompute {shlex.quote(str(folder))} {entry.id}"
    shared.note(f"Compute it again: {again}")


def recompute(
    folder: FolderArgument, name: CellArgument, as_json: shared.JsonOption = False
) -> None:
    """Compute one cell again, alone, and compare it with its record.

    Nothing is taken from the cache: vectors are read and debiased again, models trained again.
    Exits with status 1 if the record is not the same.
    """
    store = Store(folder)
    entry = found_cell(store, name)
    before = record_of(store, entry)
    found = recomputed(store, entry)
    is_equal = found == before
    if as_json:
        shared.print_json({"is_equal": is_equal, "result": found})
    else:
        said = "the same as" if is_equal else "NOT the same as"
        shared.say(f"{found['measurement']['value']} ({said} the record of {entry.id})")
        for part in ("inputs", "measurement"):
            if names := _differing(before[part], found[part]):
                shared.say(f"What differs of its {part}: {', '.join(names)}.")
    if not is_equal:
        raise typer.Exit(DIFFERENT)


def _differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
