"""``unslant train heads``: masked-language-model and next-sentence heads for an encoder."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from unslant.cli import shared
from unslant.cli import training_options as options
from unslant.cli.option_groups import settings_of, takes
from unslant.cli.training import NewFolder, rounds_table
from unslant.core.errors import UnslantError
from unslant.core.extras import torch_for
from unslant.models.head_training.heads import TrainedHeads, load_heads
from unslant.models.head_training.settings import HeadTraining
from unslant.models.language.model import TransformerModel

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
    sentences="Read at most N sentences.",
    precision="single, or bfloat16 on processors that have it.",
    seed=options.SEED,
    threads=options.THREADS,
)


@takes(how=TRAINING)
def heads(
    *,
    model: Annotated[str, typer.Argument(help="The folder of a BERT encoder.")],
    output: options.FolderOption,
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
            "--apply",
            help="Train nothing: put the heads of this file on the encoder they were trained for.",
            show_default=False,
        ),
    ] = None,
    how: HeadTraining,
    swap: options.SwapOption = None,
    note: options.NoteOption = "",
    skip_bad: shared.SkipBadOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Train heads for an encoder that has none, and write a model that transformers loads.

    Example: unslant train heads minilm --text novels.txt.xz -o minilm-heads

    Every finished round is kept next to the output; the same command resumes after a stop.
    """
    torch_for("Training")
    if (text is None) == (published is None):
        raise UnslantError("Name either a text to train on (--text) or trained heads (--apply).")
    folder = NewFolder(model, output)
    folder.check()
    encoder = folder.encoder()
    from unslant.models.head_training.heads import write_with_heads

    if published is not None:
        trained = load_heads(published)
        write_with_heads(encoder, trained, output)
    else:
        assert text is not None
        trained = _trained(folder, encoder, text, how, swap, note, skip_bad)
    if as_json:
        shared.print_json(trained.record)
        return
    shared.out.print(_rounds(trained))
    shared.say(f"Model: {output}")


def _trained(
    folder: NewFolder,
    encoder: TransformerModel,
    text: Path,
    how: HeadTraining,
    swap: str | None,
    note: str,
    skip_bad: bool,
) -> TrainedHeads:
    from unslant.models.head_training.heads import write_with_heads
    from unslant.models.head_training.training import train_heads

    with folder.training() as progress:
        trained = train_heads(
            encoder,
            text,
            how,
            swap=_swap(swap) if swap else None,
            swap_name=swap or "",
            checkpoint=folder.kept,
            skip_bad=skip_bad,
            note=note,
            progress=progress,
        )
        write_with_heads(encoder, trained, folder.output)
    shared.say_skipped(trained.record["text"]["malformed_lines"])
    return trained


def _swap(concept: str) -> Callable[[str], str]:
    from unslant.concepts.swap import swap_of

    swap = swap_of(concept)
    return lambda text: swap(text).text


def _rounds(trained: TrainedHeads) -> RenderableType:
    record = trained.record
    test = record["test"]
    caption = (
        f"Kept: round {record['best_round']}. On the test part: masked accuracy "
        f"{test['masked_accuracy']:.3f}, next-sentence accuracy {test['next_accuracy']:.3f}"
    )
    columns = {"loss": "loss", "masked_accuracy": "masked", "next_accuracy": "next sentence"}
    return rounds_table("round", record["rounds"], columns, caption, digits=3)
