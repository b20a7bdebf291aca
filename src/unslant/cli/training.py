"""What the commands that train have in common: outputs checked first, nothing lost on Ctrl-C."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from unslant.cli import shared
from unslant.cli.outputs import check_new
from unslant.core.errors import OutputError
from unslant.core.exhibits import Column, Table
from unslant.reports.table_terminal import Drawn


def check_output(output: Path, *, overwrite: bool) -> None:
    """Refuse now what could not be written, or would be lost, after hours of training."""
    try:
        check_new(output, overwrite=overwrite, ending=".safetensors")
        check_new(output.with_suffix(".json"), overwrite=overwrite)
        check_folder(output)
    except OSError as error:
        raise OutputError(
            f"Cannot write {output}: {error.strerror}. Choose another name or folder."
        ) from error


@contextmanager
def said_what_is_kept(checkpoint: Path) -> Iterator[None]:
    """After Ctrl-C, say that what was learnt so far is not lost."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint.exists():
            kept = f"What was learnt so far is kept in {checkpoint}"
            shared.note(f"{kept}; the same command goes on from there.")
        raise


def check_folder(output: Path) -> None:
    """Refuse now a folder that nothing can be written to."""
    try:
        with tempfile.TemporaryFile(dir=Path(os.path.realpath(output)).parent):
            pass
    except OSError as error:
        raise OutputError(
            f"Cannot write {output}: {error.strerror}. Choose another name or folder."
        ) from error


def shown_name(score: str) -> str:
    """What the name of a score in a record reads like in a table."""
    return score.replace("_", " ").replace("span f1", "span F1")


def training_table(
    caption: str, columns: Mapping[str, int], rows: Iterable[Sequence[Any]]
) -> RenderableType:
    """The course of a training: names of columns with their digits, rows counted from 1."""
    table = Table(
        id="training",
        title="",
        columns=tuple(Column(label=label, digits=digits) for label, digits in columns.items()),
        rows=tuple((number, *row) for number, row in enumerate(rows, start=1)),
    )
    return Group(Drawn(table), Text(caption))


def epochs_table(record: Mapping[str, Any], *more: str) -> RenderableType:
    """The loss and the dev scores of each epoch, and which one was kept.

    ``more`` are scores beside the accuracy, by their names in the record.
    """
    scores = ("dev_accuracy", *more)
    test = record.get("test_accuracy")
    caption = f"Kept: epoch {record['best_epoch']}, dev accuracy {record['dev_accuracy']:.4f}"
    return training_table(
        caption + (f", test accuracy {test:.4f}" if test is not None else ""),
        {"epoch": 0, "loss": 4, **{shown_name(score): 4 for score in scores}, "seconds": 0},
        ([epoch[name] for name in ("loss", *scores, "seconds")] for epoch in record["epochs"]),
    )
