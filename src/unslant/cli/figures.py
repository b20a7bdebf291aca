"""``unslant figures``: every figure of a record as files for papers, slides and pages."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from unslant.cli import shared
from unslant.cli.outputs import OverwriteOption, check_folder_of, check_new, free_name
from unslant.cli.report import record_from
from unslant.core.errors import FileFormatError, OutputError, UnknownNameError
from unslant.reports.figures.export import FORMS, save_figure
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import figures_of


def run(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RECORD|STUDY",
            help="A record (written with --record by audit, debias or probe) or the folder of a "
            "study.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the files (generated if omitted)."),
    ] = None,
    forms: Annotated[
        str, typer.Option("--form", help=f"File types, separated by commas: {', '.join(FORMS)}.")
    ] = "svg,png",
    theme: Annotated[
        Literal["light", "dark"], typer.Option("--theme", help="Colours of text and background.")
    ] = "light",
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Draw only the figure of this name; repeat it for several."),
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Draw the figures of a record into a folder, without a network.

    Example: unslant audit --record audit.json, then: unslant figures audit.json -o figures

    For a paper: unslant figures audit.json --form pdf --only forest-weat
    """
    wanted = _forms(forms)
    folder = output or free_name(Path(f"unslant-figures-{source.resolve().stem}"))
    check_folder_of(folder)
    with shared.progress_bar() as progress:
        figures = _chosen(source, figures_of(record_from(source, progress)), only or [])
        files = {
            figure.name: [folder / f"{figure.name}.{form}" for form in wanted] for figure in figures
        }
        paths = [(figure, path) for figure in figures for path in files[figure.name]]
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
        listed = [{**item.facts(), "files": list(map(str, files[item.name]))} for item in figures]
        shared.print_json({"figures": listed})
        return
    for figure in figures:
        shared.say(f"{figure.title}:")
        for path in files[figure.name]:
            shared.say(f"  {path}")


def _forms(text: str) -> list[str]:
    forms = list(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    for form in forms:
        if form not in FORMS:
            raise UnknownNameError("form of a figure", form, FORMS)
    if not forms:
        raise OutputError(f"--form is empty. Name at least one of: {', '.join(FORMS)}.")
    return forms


def _chosen(source: Path, figures: tuple[Figure, ...], only: list[str]) -> list[Figure]:
    if not figures:
        raise FileFormatError(f"{source} contains nothing that can be drawn as a figure.")
    by_name = {figure.name: figure for figure in figures}
    for name in only:
        if name not in by_name:
            raise UnknownNameError("figure in this record", name, by_name)
    return [figure for figure in figures if not only or figure.name in only]
