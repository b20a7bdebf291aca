"""``unslant train nli``: an inference model that reads the vectors of a file."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from unslant.cli import shared
from unslant.cli.outputs import OverwriteOption
from unslant.cli.training import check_output, said_what_is_kept
from unslant.core.extras import torch_for
from unslant.datasets.nli import read_corpus
from unslant.models.nli.retrain import checkpoint_for, train_to
from unslant.models.nli.settings import Training
from unslant.models.nli.trained import TrainedNli

DataOption = Annotated[
    Path,
    typer.Option(
        "--data",
        help="A folder with SNLI or data of its kind: jsonl, tsv, txt (also .gz) or s1, s2, "
        "labels; file names with train or subset, dev, test say what is what.",
        show_default=False,
    ),
]


def nli(
    data: DataOption,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Path of the model (.safetensors).")
    ],
    vectors_file: Annotated[
        str | None,
        typer.Option(
            "--vectors",
            help="A file of word vectors; the built-in GloVe slice if omitted.",
            show_default=False,
        ),
    ] = None,
    encoder: Annotated[
        str, typer.Option(help="How words are read: projection (Parikh 2016), bilstm (Dev 2020).")
    ] = Training.encoder,
    intra: Annotated[
        bool, typer.Option("--intra", help="Let words see their own sentence first.")
    ] = False,
    hidden: Annotated[int, typer.Option(help="The width of every hidden layer.")] = Training.hidden,
    epochs: Annotated[int, typer.Option(help="Most epochs to train.")] = Training.epochs,
    patience: Annotated[
        int, typer.Option(help="Stop after this many epochs without a better dev accuracy.")
    ] = Training.patience,
    batch: Annotated[int, typer.Option(help="Pairs in a step.")] = Training.batch,
    learning_rate: Annotated[
        float, typer.Option(help="The highest learning rate.")
    ] = Training.learning_rate,
    dropout: Annotated[
        float, typer.Option(help="The share of numbers set to 0 before each layer.")
    ] = Training.dropout,
    seed: Annotated[int, typer.Option(help="The seed of everything random.")] = Training.seed,
    threads: Annotated[
        int, typer.Option(help="Threads; only with 1 is a run repeatable to the last bit.")
    ] = Training.threads,
    note: Annotated[
        str, typer.Option(help="Kept in the record: where the data are from, their licence.")
    ] = "",
    skip_bad: shared.SkipBadOption = False,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Train decomposable attention on pairs of sentences, with the vectors kept fixed.

    Example: unslant train nli --vectors glove.6B.100d.txt --data snli_1.0/ -o model.safetensors

    Every finished epoch is kept beside the output; the same command goes on after a stop.
    """
    torch_for("Training")
    how = Training(
        hidden=hidden,
        encoder=encoder,
        intra=intra,
        epochs=epochs,
        patience=patience,
        batch=batch,
        learning_rate=learning_rate,
        dropout=dropout,
        seed=seed,
        threads=threads,
    )
    check_output(output, overwrite=overwrite)
    vectors = shared.load_for_cli(vectors_file)
    with said_what_is_kept(checkpoint_for(output)), shared.progress_bar() as progress:
        pairs = read_corpus(data, skip_bad=skip_bad, progress=progress)
        shared.say_skipped(pairs.skipped)
        model = train_to(output, vectors, pairs, how, note, progress)
    if as_json:
        shared.print_json({"shape": model.shape.to_dict(), "record": dict(model.record)})
        return
    shared.out.print(_epochs(model))
    shared.say(f"Model: {output}")
    shared.say(f"Record: {output.with_suffix('.json')}")


def _epochs(model: TrainedNli) -> Table:
    record = model.record
    test = record["test_accuracy"]
    caption = f"Kept: epoch {record['best_epoch']}, dev accuracy {record['dev_accuracy']:.4f}"
    table = Table(caption=caption + (f", test accuracy {test:.4f}" if test is not None else ""))
    for column in ("epoch", "loss", "dev accuracy", "seconds"):
        table.add_column(column, justify="right")
    for number, epoch in enumerate(record["epochs"], start=1):
        table.add_row(
            str(number),
            f"{epoch['loss']:.4f}",
            f"{epoch['dev_accuracy']:.4f}",
            f"{epoch['seconds']:.0f}",
        )
    return table
