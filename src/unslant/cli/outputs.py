"""Files that a command writes: never over another one without being told to."""

import itertools
from pathlib import Path
from typing import Annotated

import typer

from unslant.core.errors import OutputError

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
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists. Choose another name, or add --overwrite.")


def free_name(path: Path) -> Path:
    """The path itself, or the first of ``name-2``, ``name-3`` … that is not taken."""
    numbered = (path.with_stem(f"{path.stem}-{number}") for number in itertools.count(2))
    return next(name for name in itertools.chain([path], numbered) if not name.exists())
