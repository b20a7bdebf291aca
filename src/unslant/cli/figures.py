"""``unslant figures``: every figure of a record as files for papers, slides and pages."""

from pathlib import Path
from typing import Annotated, Any

import typer

from unslant.cli import shared
from unslant.cli.records import made_of, record_from
from unslant.core.errors import FileFormatError, OutputError, UnknownNameError
from unslant.reports.figures.export import FORMS, save_figure
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import figures_of
from unslant.reports.figures.theme import THEMES


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("figures")(run)


def run(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RECORD|STUDY",
            help="A record (from unslant audit --json, debias -o or probe --json) or the folder of "
            "a study.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The folder for the files; a name is made if none."),
    ] = None,
    forms: Annotated[
        str, typer.Option("--form", help=f"Which files, separated by commas: {', '.join(FORMS)}.")
    ] = "svg,png",
    theme: Annotated[str, typer.Option("--theme", help=f"{' or '.join(THEMES)}.")] = "light",
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="One figure by its name; may be given several times."),
    ] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """Draw the figures of a record into a folder, without a network.

    Example: unslant audit --json audit.json, then: unslant figures audit.json -o figures

    For a paper: unslant figures audit.json --form pdf --only forest
    """
    wanted = _forms(forms)
    if theme not in THEMES:
        raise UnknownNameError("theme", theme, THEMES)
    folder = output or Path(f"unslant-figures-{source.resolve().stem}")
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file. Name a folder for the figures.")
    with shared.progress_bar() as progress:
        figures = _chosen(_figures(source, record_from(source, progress)), only or [])
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise OutputError(f"Cannot make the folder {folder}: {error.strerror}.") from error
        total = len(figures) * len(wanted)
        written: dict[str, list[str]] = {figure.name: [] for figure in figures}
        for place, (figure, form) in enumerate((f, form) for f in figures for form in wanted):
            progress("Drawing", place, total)
            path = save_figure(figure, folder / f"{figure.name}.{form}", theme)
            written[figure.name].append(str(path))
    if as_json:
        shared.print_json({"figures": [_facts(figure, written) for figure in figures]})
        return
    for figure in figures:
        shared.out.print(f"{figure.title}:", soft_wrap=True, markup=False, highlight=False)
        for name in written[figure.name]:
            shared.out.print(f"  {name}", soft_wrap=True, markup=False, highlight=False)


def _forms(text: str) -> list[str]:
    forms = list(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    for form in forms:
        if form not in FORMS:
            raise UnknownNameError("form of a figure", form, FORMS)
    if not forms:
        raise OutputError(f"--form names no form. Known forms: {', '.join(FORMS)}.")
    return forms


def _figures(source: Path, record: dict[str, Any]) -> tuple[Figure, ...]:
    figures = made_of(source, record, figures_of)
    if not figures:
        raise FileFormatError(
            f"{source} holds nothing that there is a figure for; a record of a newer version, or "
            f"of more measures, may."
        )
    return figures


def _chosen(figures: tuple[Figure, ...], only: list[str]) -> list[Figure]:
    by_name = {figure.name: figure for figure in figures}
    for name in only:
        if name not in by_name:
            raise UnknownNameError("figure of this record", name, by_name)
    return [figure for figure in figures if not only or figure.name in only]


def _facts(figure: Figure, written: dict[str, list[str]]) -> dict[str, Any]:
    return {
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "description": figure.description,
        "files": written[figure.name],
    }
