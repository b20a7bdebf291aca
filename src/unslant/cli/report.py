"""``unslant report``: a study's folder or a saved record as one page."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.outputs import OverwriteOption, check_new, free_name
from unslant.core.files import Progress, write_text
from unslant.core.read_record import read_record
from unslant.core.record import Record
from unslant.studies.study_record import study_record


def run(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="STUDY|RECORD", help="The folder of a study, or a record of an audit or probe."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Path of the report (generated if omitted)."),
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write one self-contained HTML file: the answer, figures, tables, every word.

    Example: unslant report quick -o quick.html

    From a saved record: unslant report audit.json
    """
    check_new(output, overwrite=overwrite, ending=".html")
    target = output or free_name(Path(f"unslant-report-{source.resolve().stem}.html"))
    from unslant.reports.page import page  # late: it loads everything that draws

    with shared.progress_bar() as progress:
        html = page(record_from(source, progress), progress)
    write_text(target, html)
    shared.say(f"Report: {target}")


def record_from(source: Path, progress: Progress | None = None) -> Record:
    """The record in a file, or that of the study in a folder."""
    if source.is_dir():
        return study_record(source, progress=progress)
    return read_record(source)
