"""The options of every command that fine-tunes an encoder."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.option_groups import settings_of
from unslant.models.classifiers.settings import FineTuning

EncoderArgument = Annotated[str, typer.Argument(help="The folder of an encoder to fine-tune.")]
FolderOption = Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")]
MethodOption = Annotated[
    str | None,
    typer.Option(
        "--with",
        help="An intervention that acts in training and is kept in the folder, such as "
        "leace@layer:-1.",
        show_default=False,
    ),
]
FittedByOption = Annotated[
    str | None,
    typer.Option(
        "--concept",
        "-c",
        help="With --with: the concept to fit by.",
        show_default="gender",
        autocompletion=shared.complete_concept,
    ),
]
NoteOption = Annotated[
    str, typer.Option(help="Kept in the record: where the data are from, their licence.")
]

FINE_TUNING = settings_of(
    FineTuning,
    tune="What to train beside the head: all, none, last:4 (blocks), adapters:16.",
    epochs="Most epochs to train.",
    patience="Stop after this many epochs without a better held-out score.",
    batch="Texts in a step.",
    learning_rate="The highest learning rate.",
    dropout="The share of numbers set to 0 in every layer.",
    longest="Longer training texts, in pieces, are left out.",
    precision="single, or bfloat16 on processors that have it.",
    seed="The seed of everything random.",
    threads="Threads; only with 1 is a run repeatable to the last bit.",
)
