"""The options of every command that fine-tunes an encoder."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.models.finetuning.settings import FineTuning

EncoderArgument = Annotated[str, typer.Argument(help="The folder of an encoder to fine-tune.")]
FolderOption = Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")]
TuneOption = Annotated[
    str,
    typer.Option(help="What to train beside the head: all, none, last:4 (blocks), adapters:16."),
]
MethodOption = Annotated[
    str | None,
    typer.Option(
        "--with",
        help="An intervention that acts in training and is kept in the folder, such as "
        "leace@layer:-1.",
        show_default=False,
    ),
]
EpochsOption = Annotated[int, typer.Option(help="Most epochs to train.")]
PatienceOption = Annotated[
    int, typer.Option(help="Stop after this many epochs without a better held-out score.")
]
BatchOption = Annotated[int, typer.Option(help="Texts in a step.")]
RateOption = Annotated[float, typer.Option(help="The highest learning rate.")]
DropoutOption = Annotated[float, typer.Option(help="The share of numbers set to 0 in every layer.")]
LongestOption = Annotated[int, typer.Option(help="Longer training texts, in pieces, are left out.")]
PrecisionOption = Annotated[
    str, typer.Option(help="single, or bfloat16 on processors that have it.")
]
SeedOption = Annotated[int, typer.Option(help="The seed of everything random.")]
ThreadsOption = Annotated[
    int, typer.Option(help="Threads; only with 1 is a run repeatable to the last bit.")
]
NoteOption = Annotated[
    str, typer.Option(help="Kept in the record: where the data are from, their licence.")
]
DEFAULT = FineTuning()
