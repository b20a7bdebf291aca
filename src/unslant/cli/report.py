"""``unslant report``: a study's folder or a saved record as one page."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.core.errors import OutputError
from unslant.core.files import Progress, write_text
from unslant.core.read_record import read_record
from unslant.core.record import Record
from unslant.reports.page import page
from unslant.studies.study_record import study_record


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("report")(run)


def run(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="STUDY|RECORD", help="The folder of a study, or a record of an audit or probe."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where the page goes; a name is made if none."),
    ] = None,
) -> None:
    """Write one HTML file that needs no network: the answer, figures, tables, every word.

    Example: unslant report quick -o quick.html

    From a saved record: unslant report audit.json
    """
    target = output or Path(f"unslant-report-{source.resolve().stem}.html")
    if target.suffix.lower() != ".html":
        raise OutputError(f"{target}: a report is written as .html.")
    if not target.parent.is_dir():
        raise OutputError(f"{target}: there is no folder {target.parent}. Make it first.")
    with shared.progress_bar() as progress:
        html = page(record_from(source, progress), progress)
    write_text(target, html)
    shared.out.print(f"Report: {target}", soft_wrap=True, markup=False)


def record_from(source: Path, progress: Progress | None = None) -> Record:
    """The record in a file, or that of the study in a folder."""
    if source.is_dir():
        return study_record(source, progress=progress)
    return read_record(source)
