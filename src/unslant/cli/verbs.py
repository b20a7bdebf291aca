"""The ``unslant`` command with all its verbs."""

from typing import Annotated

import typer

from unslant.cli import (
    audit,
    cache,
    concepts,
    convert,
    data,
    debias,
    doctor,
    figures,
    measure,
    methods,
    probe,
    report,
    serve,
    study,
    subspace,
    train,
)
from unslant.cli.shared import out
from unslant.core.version import __version__

app = typer.Typer(
    name="unslant",
    help="Measure and remove social bias in word embeddings, and prove what that changes.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        out.print(f"unslant {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="The version.")
    ] = False,
) -> None:
    """Measure and remove social bias in word embeddings, and prove what that changes."""


for verb in (
    audit,
    debias,
    measure,
    probe,
    train,
    study,
    serve,
    report,
    figures,
    methods,
    subspace,
    concepts,
    convert,
    doctor,
    data,
    cache,
):
    verb.add_to(app)
