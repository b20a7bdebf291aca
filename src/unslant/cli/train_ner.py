"""``unslant train ner``: an encoder that tags entities."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from unslant.cli import adversary_options as against
from unslant.cli import fine_tuning_options as options
from unslant.cli import shared
from unslant.cli.encoder_folder import EncoderFolder
from unslant.concepts.name_table import DUTTA, name_table
from unslant.core.errors import UnslantError
from unslant.core.extras import torch_for
from unslant.core.files import Progress
from unslant.models.finetuning.settings import FineTuning
from unslant.models.language import TransformerModel

if TYPE_CHECKING:
    from unslant.models.finetuning.training import FineTuned

_OWN = options.DEFAULT


def ner(
    model: options.EncoderArgument,
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            help="A folder in the layout of CoNLL-2003: eng.train, eng.testa, eng.testb, or train, "
            "dev and test as .txt or .conll.",
            show_default=False,
        ),
    ],
    output: options.FolderOption,
    tune: options.TuneOption = _OWN.tune,
    method: options.MethodOption = None,
    concept: Annotated[
        str | None,
        typer.Option("--concept", "-c", help="With --with: the concept to fit by."),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            "--names",
            help="Give persons in training drawn names of this table: a CSV or TOML with a column "
            f"for each attribute, or {DUTTA}, which is the default with --adversary.",
            show_default=False,
        ),
    ] = None,
    copies: Annotated[
        int,
        typer.Option(help="With --names: how often each sentence with a person is used.", min=1),
    ] = 1,
    with_own: Annotated[
        bool,
        typer.Option(
            "--with-own",
            help="With --names: also use each of them with its own names, so that the tagger does "
            "not forget all but those of the table.",
        ),
    ] = False,
    adversary: against.AdversaryOption = None,
    alpha: against.AlphaOption = None,
    adversary_rate: against.AdversaryRateOption = None,
    projection: against.ProjectionOption = None,
    fairness: against.FairnessOption = None,
    adversary_network: against.NetworkOption = None,
    adversary_reads: against.ReadsOption = None,
    keep: against.KeepOption = None,
    most: Annotated[
        int, typer.Option("--most", help="Draw so many training sentences (0: all).", min=0)
    ] = 0,
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
    if adversaries is not None and names is None:
        names = DUTTA
    if copies > 1 and names is None:
        raise UnslantError("--copies does nothing without --names. Add --names, or leave it out.")
    if with_own and names is None:
        raise UnslantError("--with-own does nothing without --names. Add --names, or leave it out.")
    table = name_table(names) if names is not None else None
    from unslant.models.finetuning.tagging import train_tagging
    from unslant.models.finetuning.tagging_data import TaggingData

    record: dict[str, Any] = {}

    def train(encoder: TransformerModel, kept: Path, progress: Progress) -> "FineTuned":
        tuned = train_tagging(
            encoder,
            TaggingData(data, table, copies, most, with_own),
            how,
            adversaries=adversaries,
            checkpoint=kept,
            note=note,
            progress=progress,
        )
        record.update(tuned.record)
        return tuned

    EncoderFolder(model, output, method, concept).written(
        train, as_json=as_json, scores=("dev_accuracy_without_majority", "dev_span_f1")
    )
    if not as_json:
        shared.out.print(_parts(record))


def _parts(record: dict[str, Any]) -> Table:
    """The scores of the kept epoch on both held-out parts."""
    parts = {"dev": "dev (chose the epoch)", "test": "test"}
    if record.get("adversaries", {}).get("settings", {}).get("keep") == "last":
        parts["dev"] = "dev"
    shown = [part for part in parts if f"{part}_span_f1" in record]
    table = Table("score", *(parts[part] for part in shown))
    for name in (key.removeprefix("dev_") for key in record if key.startswith("dev_")):
        values = (record.get(f"{part}_{name}") for part in shown)
        cells = ["–" if value is None else f"{value:.4f}" for value in values]
        table.add_row(name.replace("_", " ").replace("span f1", "span F1"), *cells)
    return table
