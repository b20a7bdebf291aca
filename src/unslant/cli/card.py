"""``unslant card``: what a record shows, for the card of a model or of vectors."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.check import RecordArgument
from unslant.cli.outputs import OverwriteOption, check_new
from unslant.core.files import write_text
from unslant.core.read_record import read_record
from unslant.reports.card.markdown import model_index, section
from unslant.reports.gate.check import refuse_empty


def run(
    source: RecordArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Path of a .md file (printed if omitted)."),
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write a Markdown section with model-index metadata for a model card.

    Example: unslant card audit.json -o README.md
    """
    check_new(output, overwrite=overwrite, ending=".md")
    record = read_record(source)
    refuse_empty(record, str(source))
    text = f"---\n{model_index(record)}\n---\n\n{section(record)}"
    if output is None:
        shared.out.write(text)
        return
    write_text(output, text)
    shared.say(f"Card: {output}")
