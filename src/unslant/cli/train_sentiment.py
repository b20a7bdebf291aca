"""``unslant train sentiment``: fine-tune an encoder to classify sentiment."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli import training_options as options
from unslant.cli.option_groups import takes
from unslant.cli.training import NewFolder
from unslant.core.extras import torch_for
from unslant.datasets.labelled_texts import read_labelled_texts
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.classifiers.settings import FineTuning


@takes(how=options.FINE_TUNING, adversaries=options.adversaries_of)
def sentiment(
    *,
    model: options.EncoderArgument,
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            help="A .tsv or .csv with a column text (or sentence) and a column label: positive, "
            "negative, perhaps neutral, or 1 and 0 as in SST.",
            show_default=False,
        ),
    ],
    output: options.FolderOption,
    dev: Annotated[
        Path | None,
        typer.Option(
            "--dev",
            help="Held-out texts in the same layout; a tenth of the data if omitted.",
            show_default=False,
        ),
    ] = None,
    method: options.MethodOption = None,
    concept: options.FittedByOption = None,
    adversaries: AdversarySettings | None,
    how: FineTuning,
    note: options.NoteOption = "",
    as_json: shared.JsonOption = False,
) -> None:
    """Fine-tune an encoder to score sentiment, and write a model that transformers loads.

    Example: unslant train sentiment minilm --data sst2/train.tsv --dev sst2/dev.tsv -o sst-minilm

    Probes such as eec and aceat then ask it. Every finished epoch is kept beside the output; the
    same command goes on after a stop.
    """
    torch_for("Training")
    folder = NewFolder(model, output, method, concept)
    folder.check()
    train, held_out = read_labelled_texts(data), read_labelled_texts(dev) if dev else None
    from unslant.models.classifiers.sentiment import train_sentiment

    folder.fine_tune(
        lambda encoder, kept, progress: train_sentiment(
            encoder,
            train,
            held_out,
            how,
            adversaries=adversaries,
            checkpoint=kept,
            note=note,
            progress=progress,
        ),
        as_json=as_json,
    )
