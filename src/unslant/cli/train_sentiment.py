"""``unslant train sentiment``: an encoder that tells positive from negative texts."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import adversary_options as against
from unslant.cli import fine_tuning_options as options
from unslant.cli import shared
from unslant.cli.encoder_folder import EncoderFolder
from unslant.core.extras import torch_for
from unslant.datasets.labelled_texts import read_labelled_texts
from unslant.models.finetuning.settings import FineTuning

_OWN = options.DEFAULT


def sentiment(
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
    tune: options.TuneOption = _OWN.tune,
    method: options.MethodOption = None,
    concept: Annotated[
        str | None,
        typer.Option("--concept", "-c", help="With --with: the concept to fit by."),
    ] = None,
    adversary: against.AdversaryOption = None,
    alpha: against.AlphaOption = None,
    adversary_rate: against.AdversaryRateOption = None,
    projection: against.ProjectionOption = None,
    fairness: against.FairnessOption = None,
    adversary_network: against.NetworkOption = None,
    adversary_reads: against.ReadsOption = None,
    keep: against.KeepOption = None,
    epochs: options.EpochsOption = _OWN.epochs,
    patience: options.PatienceOption = _OWN.patience,
    batch: options.BatchOption = _OWN.batch,
    learning_rate: options.RateOption = _OWN.learning_rate,
    dropout: options.DropoutOption = _OWN.dropout,
    longest: options.LongestOption = _OWN.longest,
    precision: options.PrecisionOption = _OWN.precision,
    seed: options.SeedOption = _OWN.seed,
    threads: options.ThreadsOption = _OWN.threads,
    note: options.NoteOption = "",
    as_json: shared.JsonOption = False,
) -> None:
    """Fine-tune an encoder to score sentiment, and write a model that transformers loads.

    Example: unslant train sentiment minilm --data sst2/train.tsv --dev sst2/dev.tsv -o sst-minilm

    Probes such as eec and aceat then ask it. Every finished epoch is kept beside the output; the
    same command goes on after a stop.
    """
    torch_for("Training")
    how = FineTuning(
        tune=tune,
        epochs=epochs,
        patience=patience,
        batch=batch,
        learning_rate=learning_rate,
        dropout=dropout,
        longest=longest,
        precision=precision,
        seed=seed,
        threads=threads,
    )
    adversaries = against.adversaries_of(
        adversary,
        alpha=alpha,
        rate=adversary_rate,
        projection=projection,
        fairness=fairness,
        network=adversary_network,
        reads=adversary_reads,
        keep=keep,
    )
    folder = EncoderFolder(model, output, method, concept)
    folder.check()
    train, held_out = read_labelled_texts(data), read_labelled_texts(dev) if dev else None
    from unslant.models.finetuning.sentiment import train_sentiment

    folder.written(
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
