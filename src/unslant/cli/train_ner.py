"""``unslant train ner``: an encoder that tags entities."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unslant.cli import shared
from unslant.cli import training_options as options
from unslant.cli.option_groups import takes
from unslant.cli.training import NewFolder, shown_name
from unslant.concepts.name_table import DUTTA, name_table
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Column, Table
from unslant.core.extras import torch_for
from unslant.core.files import Progress
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.classifiers.settings import FineTuning
from unslant.models.language.model import TransformerModel
from unslant.reports.table_terminal import Drawn

if TYPE_CHECKING:
    from unslant.models.classifiers.training import FineTuned


@takes(how=options.FINE_TUNING, adversaries=options.adversaries_of)
def ner(
    *,
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
    method: options.MethodOption = None,
    concept: options.FittedByOption = None,
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
    adversaries: AdversarySettings | None,
    most: options.SampleOption = 0,
    how: FineTuning,
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
    if adversaries is not None and names is None:
        names = DUTTA
    for flag, value in {"--copies": copies > 1, "--with-own": with_own}.items():
        if value and names is None:
            raise UnslantError(
                f"{flag} does nothing without --names. Add --names, or leave it out."
            )
    table = name_table(names) if names is not None else None
    from unslant.models.classifiers.tagging import train_tagging
    from unslant.models.classifiers.tagging_data import TaggingData

    def train(encoder: TransformerModel, kept: Path, progress: Progress) -> "FineTuned":
        return train_tagging(
            encoder,
            TaggingData(data, table, copies, most, with_own),
            how,
            adversaries=adversaries,
            checkpoint=kept,
            note=note,
            progress=progress,
        )

    record = NewFolder(model, output, method, concept).fine_tune(
        train, as_json=as_json, scores=("dev_accuracy_without_majority", "dev_span_f1")
    )
    if not as_json:
        shared.out.print(_parts(record))


def _parts(record: Mapping[str, Any]) -> Drawn:
    """The scores of the kept epoch on both held-out parts."""
    parts = {"dev": "dev (chose the epoch)", "test": "test"}
    if record.get("adversaries", {}).get("settings", {}).get("keep") == "last":
        parts["dev"] = "dev"
    shown = [part for part in parts if f"{part}_span_f1" in record]
    rows = [
        (shown_name(name), *(record.get(f"{part}_{name}") for part in shown))
        for name in (key.removeprefix("dev_") for key in record if key.startswith("dev_"))
    ]
    columns = (Column(label="score"), *(Column(label=parts[part], digits=4) for part in shown))
    return Drawn(Table(id="scores", title="", columns=columns, rows=tuple(rows)))
