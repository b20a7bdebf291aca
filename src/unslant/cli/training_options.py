"""The options of commands that train, made from settings."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.option_groups import Given, options_of, settings_of, takes
from unslant.core.errors import UnslantError
from unslant.models.adversaries.settings import AdversarySettings, attributes_of
from unslant.models.classifiers.settings import FineTuning

EncoderArgument = Annotated[str, typer.Argument(help="The folder of an encoder to fine-tune.")]
FolderOption = Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")]
MethodOption = Annotated[
    str | None,
    typer.Option(
        "--with",
        "-w",
        help="Language models only: an intervention that acts during training and is saved in the "
        "folder, such as leace@layer:-1.",
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
    str, typer.Option(help="Saved in the record: the origin of the data and its licence.")
]
SampleOption = Annotated[
    int, typer.Option("--most", help="Train on a random sample of this many (0: all).", min=0)
]
SwapOption = Annotated[
    str | None,
    typer.Option(
        "--swap",
        metavar="CONCEPT",
        help="Also train on the text with the group words of this concept swapped (counterfactual "
        "augmentation).",
        show_default=False,
        autocompletion=shared.complete_concept,
    ),
]
SEED = "The seed of everything random."
THREADS = "Threads; only with 1 is a run repeatable to the last bit."

FINE_TUNING = settings_of(
    FineTuning,
    tune="Weights to train in addition to the head: all, none, last:4 (blocks), adapters:16.",
    epochs="Maximum number of epochs.",
    patience="Stop after this many epochs without a better held-out score.",
    batch="Texts in a step.",
    learning_rate="The highest learning rate.",
    dropout="Dropout rate of every layer.",
    longest="Leave out longer training texts, in word pieces.",
    precision="single, or bfloat16 on processors that support it.",
    seed=SEED,
    threads=THREADS,
)
_ADVERSARIES = options_of(
    {"adversaries": AdversarySettings},
    "adversary-",
    alpha="Strength against adversaries: 1, or 1:sqrt or 1:linear to grow to it, or "
    "gender=1,race=0.5. 0 only projects.",
    learning_rate="The highest learning rate of adversaries.",
    projection="How the gradient is made perpendicular to those of adversaries: whole, whole-sum, "
    "by-tensor, none.",
    fairness="odds: adversaries read predictions and true labels; parity: predictions alone.",
    network="dense (two layers), or small (Zhang et al. 2018).",
    width="The width of dense layers.",
    reads="Adversary input: probabilities, or log-probabilities to resolve values near 1.",
    keep="Keep the last epoch, or the best by held-out score.",
)


@takes(given=_ADVERSARIES)
def adversaries_of(
    *,
    adversary: Annotated[
        str | None,
        typer.Option(
            "--adversary",
            help="Train so that these protected attributes, such as gender or gender,race, cannot "
            "be recovered from predictions.",
            show_default=False,
        ),
    ] = None,
    given: Given,
) -> AdversarySettings | None:
    """The adversaries that the options describe; None without ``--adversary``."""
    if adversary is not None:
        return AdversarySettings(attributes=attributes_of(adversary), **given)
    for name in given:
        flag = f"--adversary-{name.replace('_', '-')}"
        raise UnslantError(f"{flag} does nothing without --adversary. Add --adversary.")
    return None
