"""``unslant train nli``: an inference model on word vectors, on an ELMo, or a tuned encoder."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unslant.cli import adversary_options as against
from unslant.cli import fine_tuning_options as options
from unslant.cli import shared
from unslant.cli.elmo_folder import ElmoFolder
from unslant.cli.encoder_folder import EncoderFolder
from unslant.cli.option_groups import takes
from unslant.cli.outputs import OverwriteOption
from unslant.cli.training import check_output, epochs_table, said_what_is_kept
from unslant.core.errors import UnslantError
from unslant.core.extras import torch_for
from unslant.core.files import Progress
from unslant.datasets.nli import read_corpus
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.classifiers.settings import FineTuning
from unslant.models.language.folder import is_elmo_folder
from unslant.models.language.model import TransformerModel
from unslant.models.nli.retrain import checkpoint_for, train_to
from unslant.models.nli.settings import ElmoTraining, Training

if TYPE_CHECKING:
    from unslant.models.classifiers.training import FineTuned


def _both(name: str) -> str:
    """The default of an option for vectors and for encoders, which differ."""
    return f"{getattr(Training, name):g}, or {getattr(FineTuning, name):g} for MODEL"


DataOption = Annotated[
    Path,
    typer.Option(
        "--data",
        help="A folder with SNLI or data of its kind: jsonl, tsv, txt (also .gz) or s1, s2, "
        "labels; file names with train or subset, dev, test say what is what.",
        show_default=False,
    ),
]


@takes(adversaries=against.adversaries_of)
def nli(
    *,
    data: DataOption,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Path of the model: a .safetensors file, or a folder for MODEL."
        ),
    ],
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL]",
            help="The folder of an encoder to fine-tune, or of an ELMo to train on; if omitted, a "
            "model that reads word vectors is trained.",
            show_default=False,
        ),
    ] = None,
    vectors_file: Annotated[
        str | None,
        typer.Option(
            "--vectors",
            help="A file of word vectors; the built-in GloVe slice if omitted.",
            show_default=False,
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="Vectors: how words are read, projection (Parikh 2016) or bilstm (Dev 2020).",
            show_default=Training.encoder,
        ),
    ] = None,
    intra: Annotated[
        bool | None,
        typer.Option("--intra", help="Vectors: let words see their own sentence first."),
    ] = None,
    hidden: Annotated[
        int | None,
        typer.Option(
            help="Vectors: the width of every hidden layer. ELMo: that of the BiLSTM.",
            show_default=str(Training.hidden),
        ),
    ] = None,
    attention: Annotated[
        int | None,
        typer.Option(
            help="ELMo: the width of attend.", show_default="as wide as the BiLSTM and ELMo"
        ),
    ] = None,
    classification: Annotated[
        int | None,
        typer.Option(
            help="ELMo: the width of compare and aggregate.",
            show_default=str(ElmoTraining.classification),
        ),
    ] = None,
    tune: Annotated[
        str | None,
        typer.Option(
            help="MODEL: what to train beside the head: all, none, last:4 (blocks), adapters:16.",
            show_default=FineTuning.tune,
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--with",
            help="MODEL: an intervention that acts in training and is kept in the folder, such as "
            "linear@wordpieces.",
            show_default=False,
        ),
    ] = None,
    concept: options.FittedByOption = None,
    fit_contexts: Annotated[
        str | None,
        typer.Option(
            "--fit-contexts",
            help="With --with: what the words that it is fitted on are put into: everyday, "
            "bleached, plain, a text file with {} in each line, or types(FILE), the mean of each "
            "word over the sentences of a corpus.",
            show_default="everyday",
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option("--most", help="MODEL: draw so many training pairs.", show_default="all"),
    ] = None,
    adversaries: AdversarySettings | None,
    longest: Annotated[
        int | None,
        typer.Option(
            help="MODEL: longer training pairs, in pieces, are left out.",
            show_default=str(FineTuning.longest),
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            help="MODEL: single, or bfloat16 on processors that have it.",
            show_default=FineTuning.precision,
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(help="Most epochs to train.", show_default=_both("epochs")),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            help="Stop after this many epochs without a better dev accuracy.",
            show_default=_both("patience"),
        ),
    ] = None,
    batch: Annotated[
        int | None, typer.Option(help="Pairs in a step.", show_default=_both("batch"))
    ] = None,
    learning_rate: Annotated[
        float | None,
        typer.Option(help="The highest learning rate.", show_default=_both("learning_rate")),
    ] = None,
    dropout: Annotated[
        float | None,
        typer.Option(
            help="The share of numbers set to 0 before each layer.", show_default=_both("dropout")
        ),
    ] = None,
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
    """Train an inference model on pairs of sentences: on word vectors, an ELMo or an encoder.

    Example: unslant train nli minilm --data snli_1.0/ -o minilm-nli

    On word vectors or an ELMo, which stay fixed, it is decomposable attention; an encoder is
    fine-tuned, and both sentences are read together. Every finished epoch is kept beside the
    output; the same command goes on after a stop.
    """
    torch_for("Training")
    for_both = {
        "epochs": epochs,
        "patience": patience,
        "batch": batch,
        "learning_rate": learning_rate,
        "dropout": dropout,
    }
    for_vectors = {"encoder": encoder, "intra": intra, "hidden": hidden}
    for_models = {"tune": tune, "longest": longest, "precision": precision}
    for_elmo = {"attention": attention, "classification": classification}
    if model is not None:
        if overwrite:
            raise UnslantError(
                "--overwrite is for files. Remove the folder first, or name another one."
            )
        where = (model, output, method, concept, fit_contexts)
        if is_elmo_folder(Path(model)):
            _refuse({"encoder": encoder, "intra": intra, "vectors": vectors_file}, "on vectors")
            _refuse(for_models | {"adversary": adversaries}, "on an encoder, not on an ELMo")
            on_elmo = ElmoTraining(
                **_given(for_both | for_elmo | {"hidden": hidden}), seed=seed, threads=threads
            )
            ElmoFolder(*where).written(
                data, on_elmo, most=most or 0, note=note, skip_bad=skip_bad, as_json=as_json
            )
            return
        _refuse(for_vectors | {"vectors": vectors_file}, "on word vectors; leave out MODEL")
        _refuse(for_elmo, "on an ELMo")
        how = FineTuning(**_given(for_both | for_models), seed=seed, threads=threads)
        fine_tune = partial(_fine_tuned, data, how, adversaries, most or 0, note, skip_bad)
        EncoderFolder(*where).written(fine_tune, as_json=as_json)
        return
    _refuse(for_elmo, "on an ELMo; name its folder")
    _refuse(
        for_models
        | {"with": method, "concept": concept, "most": most, "fit-contexts": fit_contexts}
        | {"adversary": adversaries},
        "on an encoder; name its folder",
    )
    training = Training(**_given(for_both | for_vectors), seed=seed, threads=threads)
    check_output(output, overwrite=overwrite)
    vectors = shared.load_for_cli(vectors_file)
    with said_what_is_kept(checkpoint_for(output)), shared.progress_bar() as progress:
        pairs = read_corpus(data, skip_bad=skip_bad, progress=progress)
        shared.say_skipped(pairs.skipped)
        trained = train_to(output, vectors, pairs, training, note, progress)
    if as_json:
        shared.print_json({"shape": trained.shape.to_dict(), "record": dict(trained.record)})
        return
    shared.out.print(epochs_table(trained.record))
    shared.say(f"Model: {output}")
    shared.say(f"Record: {output.with_suffix('.json')}")


def _fine_tuned(
    data: Path,
    how: FineTuning,
    adversaries: AdversarySettings | None,
    most: int,
    note: str,
    skip_bad: bool,
    encoder: TransformerModel,
    kept: Path,
    progress: Progress,
) -> "FineTuned":
    from unslant.models.classifiers.inference import train_inference

    pairs = read_corpus(data, skip_bad=skip_bad, keep_texts=True, progress=progress)
    shared.say_skipped(pairs.skipped)
    return train_inference(
        encoder,
        pairs,
        how,
        most=most,
        adversaries=adversaries,
        checkpoint=kept,
        note=note,
        progress=progress,
    )


def _given(named: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in named.items() if value is not None}


def _refuse(named: dict[str, Any], where: str) -> None:
    for name in _given(named):
        raise UnslantError(f"--{name} is for training {where}.")
