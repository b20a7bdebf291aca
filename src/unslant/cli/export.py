"""``unslant export``: a saved record or a study as a page, as figures or as a table."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from unslant.cli import shared, study_answers
from unslant.cli.outputs import OverwriteOption, check_folder_of, check_new, free_name
from unslant.cli.study import FolderArgument
from unslant.core.errors import FileFormatError, OutputError, UnknownNameError
from unslant.core.files import Progress, write_text
from unslant.core.read_record import read_record
from unslant.core.record import Record
from unslant.reports.figures.export import FORMS, save_figure
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import figures_of
from unslant.studies.answers import table as table_of
from unslant.studies.study_record import study_record

SourceArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RECORD|STUDY",
        help="A record, written with --record by audit, debias or probe, or the folder of a study.",
    ),
]


def html(
    source: SourceArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Path of the report (generated if omitted)."),
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write one self-contained HTML page: the answer, figures, tables, every word.

    Example: unslant export html quick -o quick.html

    From a saved record: unslant export html audit.json
    """
    check_new(output, overwrite=overwrite, ending=".html")
    target = output or free_name(Path(f"unslant-report-{source.resolve().stem}.html"))
    from unslant.reports.page import page  # late: it loads everything that draws

    with shared.progress_bar() as progress:
        text = page(record_from(source, progress), progress)
    write_text(target, text)
    shared.say(f"Report: {target}")


def record_from(source: Path, progress: Progress | None = None) -> Record:
    """The record in a file, or that of the study in a folder."""
    if source.is_dir():
        return study_record(source, progress=progress)
    return read_record(source)


def figures(
    source: SourceArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the files (generated if omitted)."),
    ] = None,
    forms: Annotated[
        str, typer.Option("--format", help=f"File types, separated by commas: {', '.join(FORMS)}.")
    ] = "svg,png",
    theme: Annotated[
        Literal["light", "dark"], typer.Option("--theme", help="Colours of text and background.")
    ] = "light",
    only: Annotated[
        list[str] | None,
        typer.Option("--figure", help="Draw only the figure of this name; repeat it for several."),
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Draw the figures of a record or a study into a folder, without a network.

    Example: unslant audit --record audit.json, then: unslant export figures audit.json -o figures

    For a paper: unslant export figures audit.json --format pdf --figure forest-weat
    """
    wanted = _forms(forms)
    folder = output or free_name(Path(f"unslant-figures-{source.resolve().stem}"))
    check_folder_of(folder)
    with shared.progress_bar() as progress:
        drawn = _chosen(source, figures_of(record_from(source, progress)), only or [])
        files = {
            figure.name: [folder / f"{figure.name}.{form}" for form in wanted] for figure in drawn
        }
        paths = [(figure, path) for figure in drawn for path in files[figure.name]]
        if folder.exists():
            for _, path in paths:
                check_new(path, overwrite=overwrite)
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise OutputError(f"Cannot create the folder {folder}: {error.strerror}.") from error
        for place, (figure, path) in enumerate(paths):
            progress("Drawing", place, len(paths))
            save_figure(figure, path, theme)
    if as_json:
        listed = [{**item.facts(), "files": list(map(str, files[item.name]))} for item in drawn]
        shared.print_json({"figures": listed})
        return
    for figure in drawn:
        shared.say(f"{figure.title}:")
        for path in files[figure.name]:
            shared.say(f"  {path}")


def table(
    folder: FolderArgument,
    by: study_answers.ByOption = None,
    form: study_answers.FormatOption = None,
    digits: Annotated[
        int | None,
        typer.Option(
            "--digits",
            help="Digits after the point. By default each measure shows three digits of its "
            "largest value, as in the heat map.",
        ),
    ] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Print a study as a table: resources and methods down, measures across.

    Example: unslant export table quick --format latex
    """
    form = study_answers.checked_form(form, digits, as_json)
    study_answers.show(
        table_of(study_answers.rows_of(folder), **study_answers.rows_by(by)), form, digits
    )


def _forms(text: str) -> list[str]:
    forms = list(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    for form in forms:
        if form not in FORMS:
            raise UnknownNameError("format of a figure", form, FORMS)
    if not forms:
        raise OutputError(f"--format is empty. Name at least one of: {', '.join(FORMS)}.")
    return forms


def _chosen(source: Path, figures: tuple[Figure, ...], only: list[str]) -> list[Figure]:
    if not figures:
        raise FileFormatError(f"{source} contains nothing that can be drawn as a figure.")
    by_name = {figure.name: figure for figure in figures}
    for name in only:
        if name not in by_name:
            raise UnknownNameError("figure in this record", name, by_name)
    return [figure for figure in figures if not only or figure.name in only]
