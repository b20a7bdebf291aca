"""Output files of commands, never overwritten without --overwrite."""

import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.typed import typed_command
from unslant.core.errors import OutputError
from unslant.reports.terminal import record_tables
from unslant.studies.record import Recorded

OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace output files that exist.")
]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", help="Write a report to this .html file.")
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="safetensors, npz, word2vec-binary, word2vec-text or glove-text (by default chosen "
        "by the ending of the file name).",
        show_default=False,
    ),
]
RecordOption = Annotated[
    Path | None, typer.Option("--record", help="Write the full record to this .json file.")
]


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What becomes of a record: a page, a file, JSON or tables."""

    html: Path | None
    record: Path | None
    overwrite: bool
    as_json: bool

    def finish(self, done: Recorded, **files: Path | None) -> None:
        """Write what was asked for, then show the record; ``files`` were written before."""
        written(done, self.record, self.html)  # first, so that they exist even if printing fails
        more = {"Record": self.record, "Report": self.html}
        show(done, {**files, **more}, as_json=self.as_json)


def outputs_of(
    html: HtmlOption = None,
    record: RecordOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> Outputs:
    """The outputs that the options name, checked before anything is computed."""
    check_new(html, overwrite=overwrite, ending=".html")
    check_new(record, overwrite=overwrite, ending=".json")
    return Outputs(html=html, record=record, overwrite=overwrite, as_json=as_json)


def written(done: Recorded, *paths: Path | None) -> None:
    """Write a record to the requested report and record files."""
    done = _with_command(done)
    with shared.progress_bar() as progress:
        for path in paths:
            if path is not None:
                done.save(path, progress=progress)


def show(done: Recorded, files: Mapping[str, Path | None], *, as_json: bool) -> None:
    """Print a record as JSON, or as tables with the files that were written."""
    if as_json:
        shared.print_json(_with_command(done).to_dict())
        return
    shared.out.print(record_tables(done.record))
    for what, path in files.items():
        if path is not None:
            shared.say(f"{what}: {path}")


def _with_command(done: Recorded) -> Recorded:
    return replace(done, record=replace(done.record, command=typed_command()))


def check_new(path: Path | None, *, overwrite: bool, ending: str = "") -> None:
    """Refuse a file that exists, cannot be written, or does not end as it should."""
    if path is None:
        return
    if ending and path.suffix != ending:
        raise OutputError(f"{path} must end in {ending}. Choose another name.")
    if path.is_dir():
        raise OutputError(f"{path} is a folder. Choose another name.")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{path} is in a folder that does not exist. Create the folder first.")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise OutputError(f"{path} cannot be written: permission denied. Choose another folder.")
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists. Choose another name, or add --overwrite.")


def check_folder_of(path: Path) -> None:
    """Refuse a folder to write that would be in one that does not exist, or is a file."""
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{path} is in a folder that does not exist. Create the folder first.")
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path} is a file. Name a folder.")


def free_name(path: Path) -> Path:
    """The path itself, or the first of ``name-2``, ``name-3`` … that is not taken."""
    numbered = (path.with_stem(f"{path.stem}-{number}") for number in itertools.count(2))
    return next(name for name in itertools.chain([path], numbered) if not name.exists())
