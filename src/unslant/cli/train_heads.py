"""``unslant train heads``: masked-language-model and next-sentence heads for an encoder."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from unslant.cli import shared
from unslant.cli.option_groups import settings_of, takes
from unslant.cli.training import check_folder, said_what_is_kept, training_table
from unslant.core.errors import OutputError, UnslantError
from unslant.core.extras import torch_for
from unslant.models.head_training.heads import TrainedHeads, load_heads
from unslant.models.head_training.settings import HeadTraining
from unslant.models.language.model import TransformerModel, load_model

TRAINING = settings_of(
    HeadTraining,
    tune="What to train beside the heads: none, adapters:16 (their rank), last:2 (blocks), all.",
    rounds="Most rounds to train.",
    steps="Batches in a round.",
    batch="Pairs of sentences in a batch.",
    patience="Stop after this many rounds without a better held-out accuracy.",
    learning_rate="The highest learning rate.",
    dropout="The share of numbers set to 0 in every layer.",
    attention_dropout="The share of attention weights set to 0.",
    longest="Sentences of more pieces are left out.",
    sentences="Read at most so many sentences.",
    precision="single, or bfloat16 on processors that have it.",
    seed="The seed of everything random.",
    threads="Threads; only with 1 is a run repeatable to the last bit.",
)


@takes(how=TRAINING)
def heads(
    *,
    model: Annotated[str, typer.Argument(help="The folder of a BERT encoder.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")],
    text: Annotated[
        Path | None,
        typer.Option(
            "--text",
            help="Running text in UTF-8, plain or compressed.",
            show_default=False,
        ),
    ] = None,
    published: Annotated[
        Path | None,
        typer.Option(
            "--heads",
            help="Train nothing: put the heads of this file on the encoder they were trained for.",
            show_default=False,
        ),
    ] = None,
    how: HeadTraining,
    swap: Annotated[
        str | None,
        typer.Option(
            "--swap",
            help="Also train on the text with the group words of this concept swapped "
            "(counterfactual augmentation).",
            show_default=False,
        ),
    ] = None,
    note: Annotated[
        str, typer.Option(help="Kept in the record: where the text is from, its licence.")
    ] = "",
    skip_bad: shared.SkipBadOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Train heads for an encoder that has none, and write a model that transformers loads.

    Example: unslant train heads minilm --text novels.txt.xz -o minilm-heads

    Every finished round is kept beside the output; the same command goes on after a stop.
    """
    torch_for("Training")
    if (text is None) == (published is None):
        raise UnslantError("Name either a text to train on (--text) or trained heads (--heads).")
    if output.exists():
        raise OutputError(f"{output} already exists. Choose another name, or remove it first.")
    check_folder(output)
    encoder = load_model(model)
    if not isinstance(encoder, TransformerModel):
        raise UnslantError(f"{model} is an ELMo. Heads can be trained for BERT encoders.")
    from unslant.models.head_training.heads import write_with_heads

    if published is not None:
        trained = load_heads(published)
        write_with_heads(encoder, trained, output)
    else:
        assert text is not None
        trained = _trained(encoder, text, how, output, swap, note, skip_bad)
    if as_json:
        shared.print_json(trained.record)
        return
    shared.out.print(_rounds(trained))
    shared.say(f"Model: {output}")


def _trained(
    encoder: TransformerModel,
    text: Path,
    how: HeadTraining,
    output: Path,
    swap: str | None,
    note: str,
    skip_bad: bool,
) -> TrainedHeads:
    from unslant.models.head_training.heads import write_with_heads
    from unslant.models.head_training.training import train_heads

    kept = output.with_name(f"{output.name}.checkpoint")
    with said_what_is_kept(kept), shared.progress_bar() as progress:
        trained = train_heads(
            encoder,
            text,
            how,
            swap=_swap(swap) if swap else None,
            swap_name=swap or "",
            checkpoint=kept,
            skip_bad=skip_bad,
            note=note,
            progress=progress,
        )
        write_with_heads(encoder, trained, output)
    kept.unlink(missing_ok=True)
    shared.say_skipped(trained.record["text"]["malformed_lines"])
    return trained


def _swap(concept: str) -> Callable[[str], str]:
    from unslant.concepts.swap import swap_of

    swap = swap_of(concept)
    return lambda text: swap(text).text


def _rounds(trained: TrainedHeads) -> RenderableType:
    record = trained.record
    test = record["test"]
    keys = ("loss", "masked_accuracy", "next_accuracy", "seconds")
    return training_table(
        f"Kept: round {record['best_round']}. On the test part: masked accuracy "
        f"{test['masked_accuracy']:.3f}, next-sentence accuracy {test['next_accuracy']:.3f}",
        {"round": 0, "loss": 3, "masked": 3, "next sentence": 3, "seconds": 0},
        ([each[key] for key in keys] for each in record["rounds"]),
    )
