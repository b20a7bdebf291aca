"""The verbs of ``unslant study`` that answer: correlate, rank, best and diff."""

from pathlib import Path
from typing import Annotated, Any

import typer

from unslant.cli import shared
from unslant.cli.study import FolderArgument
from unslant.cli.study_cells import DIFFERENT
from unslant.core.errors import UnslantError
from unslant.core.study_record import StudyAnswer
from unslant.reports.grids import grid_tables, grid_text
from unslant.studies.answers import Row, best, correlate, diff, rank, stored_rows
from unslant.studies.run.store import Store

FormatOption = Annotated[
    str | None, typer.Option("--format", help="csv, markdown, latex or json (a table if omitted).")
]
DigitsOption = Annotated[int, typer.Option("--digits", help="Digits after the point.")]
ByOption = Annotated[
    list[str] | None,
    typer.Option("--by", help="What a row is: resource, method, concept, seed; repeatable."),
]


def show_correlations(
    folder: FolderArgument,
    against: Annotated[
        str | None, typer.Option("--on", help="Only the pairs with this measure.")
    ] = None,
    by: ByOption = None,
    form: FormatOption = None,
    digits: DigitsOption = 2,
    seed: Annotated[int, typer.Option(help="The seed of resamples and permutations.")] = 0,
    as_json: shared.JsonOption = False,
) -> None:
    """Which measures correlate, with intervals and corrected p-values."""
    form, rows = checked_form(form, digits, as_json), rows_of(folder)
    with shared.progress_bar() as progress:
        found = correlate(rows, against=against, seed=seed, progress=progress, **rows_by(by))
    show(found, form, digits)


def show_ranking(
    folder: FolderArgument,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--on", help="A measure to rank by, such as a bias and a quality; repeatable."
        ),
    ] = None,
    better: Annotated[
        list[str] | None,
        typer.Option(
            "--better",
            help="Which way is better: smaller, larger or the number to be close to, as in "
            "E=smaller or MIDB=0; repeatable.",
        ),
    ] = None,
    by: ByOption = None,
    form: FormatOption = None,
    digits: DigitsOption = 3,
    as_json: shared.JsonOption = False,
) -> None:
    """Which rows are best by several measures: Pareto fronts, and which row beats which."""
    form, ways = checked_form(form, digits, as_json), _directions(better)
    show(rank(rows_of(folder), measures or (), better=ways, **rows_by(by)), form, digits)


def show_best(
    folder: FolderArgument,
    by: Annotated[str, typer.Option("--on", help="The measure to choose settings by.")],
    report: Annotated[
        str,
        typer.Option("--report", help="The measure to report, such as one on held-out items."),
    ] = "",
    better: Annotated[
        list[str] | None,
        typer.Option("--better", help="Which way is better, if the measure does not say."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            help="Only settings that keep this share of the original's quality, as in LMS=0.95; "
            "repeatable.",
        ),
    ] = None,
    form: FormatOption = None,
    digits: DigitsOption = 3,
    as_json: shared.JsonOption = False,
) -> None:
    """The best setting of each level of a tree, and what each choice changes.

    Example: unslant study best thesis-tree --on S --report "S held out" --keep "LMS, all=0.95"
    """
    form, ways, least = checked_form(form, digits, as_json), _directions(better), _shares(keep)
    rows, trees = rows_of(folder), Store(folder).trees()
    show(best(rows, trees, by=by, report=report, better=ways, keep=least), form, digits)


def show_differences(
    first: Annotated[Path, typer.Argument(metavar="A", help="The folder of a study.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="The folder of another.")],
    form: FormatOption = None,
    digits: DigitsOption = 3,
    as_json: shared.JsonOption = False,
) -> None:
    """Show the differences between two studies.

    Exits with status 1 if anything changed or a value is missing.
    """
    form = checked_form(form, digits, as_json)
    found = diff(rows_of(first), rows_of(second))
    show(found, form, digits)
    if not found.is_same:
        raise typer.Exit(DIFFERENT)


def rows_of(folder: Path) -> list[Row]:
    """Every finished cell of the study in a folder, with a progress bar."""
    with shared.progress_bar() as progress:
        return stored_rows(Store(folder), progress)


def rows_by(by: list[str] | None) -> dict[str, Any]:
    """The option ``--by`` as a keyword, if it was given."""
    return {"by": by} if by else {}


def _shares(given: list[str] | None) -> dict[str, float]:
    found = {}
    for text in given or ():
        name, _, share = text.rpartition("=")
        try:
            found[name] = float(share)
        except ValueError:
            found[name] = -1.0
        if not name or not 0 < found[name] <= 2:
            raise UnslantError(
                f'--keep takes a measure and the share to keep, as in "LMS=0.95", not "{text}".'
            )
    return found


def _directions(given: list[str] | None) -> dict[str, str]:
    found = {}
    for text in given or []:
        label, equals, way = text.rpartition("=")
        if not equals or not label:
            raise UnslantError(
                f'A direction is a measure and a way, as in "E=smaller", not "{text}".'
            )
        found[label] = way
    return found


def checked_form(form: str | None, digits: int | None, as_json: bool) -> str | None:
    """The requested format; mistakes are reported before anything is read."""
    if digits is not None and not 0 <= digits <= 12:
        raise UnslantError(f"The number of digits must be from 0 to 12, not {digits}.")
    if as_json and form not in (None, "json"):
        raise UnslantError(f"Name --json or --format {form}, not both.")
    return "json" if as_json else form


def show(answer: StudyAnswer, form: str | None, digits: int | None) -> None:
    """Print an answer as tables, or as text in a format."""
    if form is None:
        shared.out.print(grid_tables(answer, digits))
    else:
        shared.out.write(grid_text(answer, form, digits))
