"""``unslant doctor``: everything that is wrong with a file."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from unslant.cli import shared
from unslant.reports.words import visible
from unslant.vectors.load import diagnose


def run(
    file: Annotated[str, typer.Argument(help="A file of word vectors.")],
    most: Annotated[int, typer.Option("--most", help="How many problems to print.")] = 50,
    as_json: shared.JsonOption = False,
) -> None:
    """Read a whole file and list every problem in it, with line numbers.

    Exits with status 1 if the file has problems.
    """
    with shared.progress_bar() as progress:
        found = diagnose(file, progress)
    if as_json:
        shared.print_json({**asdict(found), "is_sound": found.is_sound})
        raise typer.Exit(0 if found.is_sound else 1)
    facts = Table(show_header=False)
    for key, value in found.facts.items():
        if value not in (None, []):
            text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
            facts.add_row(key.replace("_", " "), Text(visible(text)))
    if found.facts:
        shared.out.print(facts)
    for problem in found.problems[:most]:
        shared.out.print(Text(f"{problem}. {problem.remedy}".strip()), soft_wrap=True)
    total = sum(found.counts.values())
    if found.is_sound:
        shared.out.print("No problem found.")
        return
    kinds = ", ".join(f"{count:,} × {kind}" for kind, count in sorted(found.counts.items()))
    shown = min(most, len(found.problems))
    noun = "problem" if total == 1 else "problems"
    shared.out.print(f"{total:,} {noun} ({kinds}); {shown:,} shown.")
    raise typer.Exit(1)
