"""``unslant train``: the models that probes ask, and word vectors."""

import typer

from unslant.cli.train_coref import coref
from unslant.cli.train_glove import glove, gn_glove
from unslant.cli.train_heads import heads
from unslant.cli.train_ner import ner
from unslant.cli.train_nli import nli
from unslant.cli.train_sentiment import sentiment
from unslant.cli.whole_help import WholeHelp

app = typer.Typer(cls=WholeHelp, no_args_is_help=True, rich_markup_mode=None)
app.command()(nli)
app.command()(heads)
app.command()(ner)
app.command()(sentiment)
app.command()(coref)
app.command()(glove)
app.command("gn-glove")(gn_glove)


@app.callback()
def trainings() -> None:
    """Train the models that probes ask, and word vectors from text."""
