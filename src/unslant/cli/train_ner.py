"""``unslant train ner``: an encoder that tags entities."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from unslant.cli import shared
from unslant.cli.training import check_folder, epochs_table, said_what_is_kept
from unslant.concepts import concept as concept_from
from unslant.concepts.name_table import DUTTA, name_table
from unslant.core.errors import OutputError, UnslantError
from unslant.core.extras import torch_for
from unslant.core.files import Progress
from unslant.models.finetuning.settings import FineTuning
from unslant.models.language import TransformerModel, load_model
from unslant.studies.treated_model import treated_model


def ner(
    model: Annotated[str, typer.Argument(help="The folder of an encoder to fine-tune.")],
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            help="A folder in the layout of CoNLL-2003: eng.train, eng.testa, eng.testb, or train, "
            "dev and test as .txt or .conll.",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")],
    tune: Annotated[
        str,
        typer.Option(
            help="What to train beside the head: all, none, last:4 (blocks), adapters:16 (their "
            "rank)."
        ),
    ] = FineTuning.tune,
    method: Annotated[
        str | None,
        typer.Option(
            "--with",
            help="An intervention that acts in training and is kept in the folder, such as "
            "linear@wordpieces.",
            show_default=False,
        ),
    ] = None,
    concept: Annotated[
        str | None,
        typer.Option(
            "--concept",
            "-c",
            help="With --with: the concept to fit by.",
            show_default="gender",
            autocompletion=shared.complete_concept,
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            "--names",
            help="Give persons in training drawn names of this table: a CSV or TOML with a column "
            f"for each attribute, or {DUTTA}.",
            show_default=False,
        ),
    ] = None,
    copies: Annotated[
        int,
        typer.Option(help="With --names: how often each sentence with a person is used.", min=1),
    ] = 1,
    most: Annotated[
        int, typer.Option("--most", help="Draw so many training sentences (0: all).", min=0)
    ] = 0,
    epochs: Annotated[int, typer.Option(help="Most epochs to train.")] = FineTuning.epochs,
    patience: Annotated[
        int, typer.Option(help="Stop after this many epochs without a better dev F1.")
    ] = FineTuning.patience,
    batch: Annotated[int, typer.Option(help="Sentences in a step.")] = FineTuning.batch,
    learning_rate: Annotated[
        float, typer.Option(help="The highest learning rate.")
    ] = FineTuning.learning_rate,
    dropout: Annotated[
        float, typer.Option(help="The share of numbers set to 0 in every layer.")
    ] = FineTuning.dropout,
    longest: Annotated[
        int, typer.Option(help="Longer training sentences, in pieces, are left out.")
    ] = FineTuning.longest,
    precision: Annotated[
        str, typer.Option(help="single, or bfloat16 on processors that have it.")
    ] = FineTuning.precision,
    seed: Annotated[int, typer.Option(help="The seed of everything random.")] = FineTuning.seed,
    threads: Annotated[
        int, typer.Option(help="Threads; only with 1 is a run repeatable to the last bit.")
    ] = FineTuning.threads,
    note: Annotated[
        str, typer.Option(help="Kept in the record: where the data are from, their licence.")
    ] = "",
    as_json: shared.JsonOption = False,
) -> None:
    """Train an encoder to tag entities, and write a model that transformers loads.

    Example: unslant train ner minilm --data conll2003/ --tune last:4 -o minilm-ner

    The first piece of each word carries its tag. The dev part (testa) chooses the epoch, the test
    part (testb) chooses nothing. Every finished epoch is kept beside the output; the same command
    goes on after a stop.
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
    if output.exists():
        raise OutputError(f"{output} already exists. Choose another name, or remove it first.")
    if concept is not None and method is None:
        raise UnslantError("--concept does nothing without --with. Add --with, or leave it out.")
    if copies > 1 and names is None:
        raise UnslantError("--copies does nothing without --names. Add --names, or leave it out.")
    check_folder(output)
    table = name_table(names) if names is not None else None
    encoder = load_model(model)
    if not isinstance(encoder, TransformerModel):
        raise UnslantError(f"{model} is an ELMo, which is not fine-tuned.")
    from unslant.models.finetuning.folder import write_fine_tuned
    from unslant.models.finetuning.tagging import TaggingData, train_tagging

    kept = output.with_name(f"{output.name}.checkpoint")
    with said_what_is_kept(kept), shared.progress_bar() as progress:
        tuned = train_tagging(
            _treated(encoder, method, concept, progress),
            TaggingData(data, table, copies, most),
            how,
            checkpoint=kept,
            note=note,
            progress=progress,
        )
        write_fine_tuned(tuned, output)
    kept.unlink(missing_ok=True)
    if as_json:
        shared.print_json(tuned.record)
        return
    shared.out.print(epochs_table(tuned.record, "dev_accuracy_without_majority", "dev_span_f1"))
    shared.out.print(_parts(tuned.record))
    shared.say(f"Model: {output}")


def _treated(
    encoder: TransformerModel, method: str | None, concept: str | None, progress: Progress
) -> TransformerModel:
    """The encoder with the intervention that acts in training, if there is one."""
    if method is None:
        return encoder
    subject = concept_from(concept or "gender")
    after = treated_model(method, encoder, subject, progress=progress).after
    assert isinstance(after, TransformerModel)
    return after


def _parts(record: dict[str, Any]) -> Table:
    """The scores of the kept epoch on both held-out parts."""
    parts = {"dev": "dev (chose the epoch)", "test": "test"}
    shown = [part for part in parts if f"{part}_span_f1" in record]
    table = Table("score", *(parts[part] for part in shown))
    for name in (key.removeprefix("dev_") for key in record if key.startswith("dev_")):
        values = (record.get(f"{part}_{name}") for part in shown)
        cells = ["–" if value is None else f"{value:.4f}" for value in values]
        table.add_row(name.replace("_", " ").replace("span f1", "span F1"), *cells)
    return table
