"""The ``unslant`` command with all its verbs."""

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from unslant.cli.components import command_with
from unslant.cli.late_commands import LateCommand, group_of
from unslant.cli.shared import out
from unslant.cli.version import version_lines
from unslant.core.registry import Entry


def _metrics() -> Iterable[Entry[Any]]:
    from unslant.measures.registry import metrics

    return metrics()


VERBS = {
    "audit": LateCommand("audit:run"),
    "debias": LateCommand("debias:run"),
    "recommend": LateCommand("recommend:run"),
    "probe": LateCommand("probe:app"),
    "measure": LateCommand("measure:run", cls=command_with(_metrics, "Metrics")),
    "metrics": LateCommand("measure:list_metrics"),
    "methods": LateCommand("methods:run"),
    "study": LateCommand("study:app"),
    "report": LateCommand("report:run"),
    "figures": LateCommand("figures:run"),
    "serve": LateCommand("serve:run"),
    "check": LateCommand("check:run"),
    "card": LateCommand("card:run"),
    "places": LateCommand("places:run"),
    "layers": LateCommand("layers:layers"),
    "heads": LateCommand("heads:heads"),
    "comes-back": LateCommand("layers:back"),
    "train": LateCommand("train:app"),
    "score": LateCommand("score:app"),
    "concepts": LateCommand("concepts:app"),
    "subspace": LateCommand("subspace:run"),
    "swap": LateCommand("swap:run"),
    "doctor": LateCommand("doctor:run"),
    "convert": LateCommand("convert:run"),
    "data": LateCommand("data:app"),
    "cache": LateCommand("cache:run"),
}
"""In the order of the help: what most need first, what is about models, what is about data."""

app = typer.Typer(
    name="unslant",
    cls=group_of(VERBS),
    help="Measure and remove social bias in word embeddings and language models.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        for line in version_lines():
            out.print(line, highlight=False, soft_wrap=True)
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="The version, and what a report of a fault needs.",
        ),
    ] = False,
) -> None:
    """Measure and remove social bias in word embeddings and language models."""
