"""The ``unslant`` command with all its verbs."""

from typing import Annotated

import typer

from unslant.cli import (
    audit,
    cache,
    card,
    check,
    concepts,
    convert,
    data,
    debias,
    doctor,
    figures,
    heads,
    layers,
    measure,
    methods,
    places,
    probe,
    recommend,
    report,
    score,
    serve,
    study,
    subspace,
    swap,
    train,
)
from unslant.cli.components import command_with
from unslant.cli.shared import out
from unslant.cli.version import version_lines
from unslant.measures.registry import metrics

app = typer.Typer(
    name="unslant",
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


app.command("audit")(audit.run)
app.command("debias")(debias.run)
app.command("recommend")(recommend.run)
app.command("places")(places.run)
app.command("layers")(layers.layers)
app.command("heads")(heads.heads)
app.command("comes-back")(layers.back)
app.command("measure", cls=command_with(metrics, "Metrics"))(measure.run)
app.command("metrics")(measure.list_metrics)
app.add_typer(probe.app, name="probe")
app.add_typer(score.app, name="score")
app.add_typer(train.app, name="train")
app.add_typer(study.app, name="study")
app.command("serve")(serve.run)
app.command("report")(report.run)
app.command("check")(check.run)
app.command("card")(card.run)
app.command("figures")(figures.run)
app.command("methods")(methods.run)
app.command("subspace")(subspace.run)
app.add_typer(concepts.app, name="concepts")
app.command("swap")(swap.run)
app.command("convert")(convert.run)
app.command("doctor")(doctor.run)
app.add_typer(data.app, name="data")
app.command("cache")(cache.run)
_ANY_WORDS = {"ignore_unknown_options": True, "allow_extra_args": True}
app.command("nli", hidden=True, context_settings=_ANY_WORDS)(train.gone)
