"""``unslant train coref``: a coreference model on word vectors."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType

from unslant.cli import shared
from unslant.cli import training_options as options
from unslant.cli.option_groups import settings_of, takes
from unslant.cli.outputs import OverwriteOption
from unslant.cli.training import check_output, rounds_table, said_what_is_kept, show_model
from unslant.concepts.swap import swap_of
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Column, Table
from unslant.core.extras import torch_for
from unslant.models.coreference.data import read_data
from unslant.models.coreference.retrain import checkpoint_for, train_to
from unslant.models.coreference.settings import CorefTraining
from unslant.models.language.model import load_model
from unslant.reports.table_terminal import Drawn
from unslant.studies.resources import model_and_place

if TYPE_CHECKING:
    from unslant.models.coreference.context import WordsInSentences

TRAINING = settings_of(
    CorefTraining,
    rounds="Most passes over the documents.",
    patience="Stop after this many rounds without a better held-out F1.",
    segment="Words of a document that are trained on at once.",
    hidden="The size of the BiLSTM.",
    learning_rate="The highest learning rate.",
    dropout="The share of numbers set to 0 in the layers.",
    seed=options.SEED,
    threads=options.THREADS,
)
_SCORES = {
    "conll_f1": "CoNLL F1",
    "muc": "MUC",
    "b_cubed": "B³",
    "ceaf_e": "CEAFφ4",
    "lea": "LEA",
    "mentions": "mentions",
}


@takes(how=TRAINING)
def coref(
    *,
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            help="A folder of CoNLL-2012 files, such as LitBank. Uses train, development and test "
            "folders if present; otherwise holds out one document in nine.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Path of the model: a .safetensors file.")
    ],
    vectors_file: Annotated[
        str | None,
        typer.Argument(
            metavar="[VECTORS]",
            help="A file of word vectors; the built-in GloVe slice if omitted.",
            show_default=False,
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            "--features",
            help="Also read the frozen vectors of words in their sentences at a place in a "
            "language model, such as minilm@layer:-1.",
            show_default=False,
        ),
    ] = None,
    swap: options.SwapOption = None,
    how: CorefTraining,
    split_seed: Annotated[
        int, typer.Option(help="The seed of the held-out documents, where they are drawn.")
    ] = 0,
    note: options.NoteOption = "",
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Train a coreference model on word vectors, which stay fixed.

    Example: unslant train coref glove.6B.100d.txt --data litbank/ -o coref.safetensors

    It is end-to-end span ranking (Lee et al. 2017). Every finished round is kept next to the
    output; the same command resumes after a stop. The held-out documents select the round.
    """
    torch_for("Training")
    check_output(output, overwrite=overwrite)
    vectors = shared.InputReading().vectors(vectors_file)
    with said_what_is_kept(checkpoint_for(output)), shared.progress_bar() as progress:
        documents = read_data(data, split_seed, progress)
        if swap is not None:
            documents = documents.doubled(swap_of(swap))
        beside = _features(features)
        trained = train_to(output, vectors, documents, how, note, progress, beside)
    record = trained.record
    show_model(trained, output, _rounds(record), _scores(record), as_json=as_json)
    if not as_json:
        shared.say(f"Singletons: {'kept' if trained.singletons else 'none in these documents'}")


def _features(text: str | None) -> "WordsInSentences | None":
    if text is None:
        return None
    from unslant.models.coreference.context import WordsInSentences

    parts = model_and_place(text)
    if parts is None:
        raise UnslantError(
            f"--features takes MODEL@PLACE, such as minilm@layer:-1, where MODEL is the folder of "
            f"a language model. Got {text} instead."
        )
    return WordsInSentences(load_model(parts[0]), parts[1])


def _rounds(record: Mapping[str, Any]) -> RenderableType:
    """The loss and the held-out F1 of each round, and which one was kept."""
    kept = f"round {record['best_round']}, held-out CoNLL F1 {record['held_out_conll_f1']:.4f}"
    columns = {"loss": "loss", "held_out_conll_f1": "held-out CoNLL F1"}
    return rounds_table("round", record["rounds"], columns, f"Kept: {kept}")


def _scores(record: Mapping[str, Any]) -> Drawn:
    """F1 of the kept round, by part of the data and by whose mentions were joined."""
    columns = {
        f"{part.replace('_', '-')}, {mentions.replace('_', ' ')}": scores
        for part, both in record["scores"].items()
        for mentions, scores in both.items()
    }
    rows = []
    for name, label in _SCORES.items():
        values = (scores[name] for scores in columns.values())
        rows.append((label, *(it["f1"] if isinstance(it, dict) else it for it in values)))
    heads = (Column(label="F1"), *(Column(label=label, digits=4) for label in columns))
    return Drawn(Table(id="scores", title="", columns=heads, rows=tuple(rows)))
