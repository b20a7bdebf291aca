"""``unslant train nli``: an inference model on word vectors, on an ELMo, or a tuned encoder."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unslant.cli import shared
from unslant.cli import training_options as options
from unslant.cli.option_groups import Given, made_of, options_of, takes
from unslant.cli.outputs import OverwriteOption
from unslant.cli.training import (
    NewFolder,
    check_output,
    epochs_table,
    said_what_is_kept,
    show_model,
)
from unslant.core.errors import UnslantError
from unslant.core.extras import torch_for
from unslant.core.files import Progress
from unslant.datasets.nli import read_corpus
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.classifiers.settings import FineTuning
from unslant.models.elmo import ElmoModel, load_elmo
from unslant.models.language.folder import is_elmo_folder
from unslant.models.language.model import TransformerModel
from unslant.models.nli.retrain import checkpoint_for, train_to
from unslant.models.nli.settings import ElmoTraining, NliTraining
from unslant.studies.resources import is_model

if TYPE_CHECKING:
    from unslant.models.classifiers.training import FineTuned

SETTINGS = options_of(
    {"vectors": NliTraining, "encoders": FineTuning, "ELMo": ElmoTraining},
    encoder="How words are read: projection (Parikh 2016) or bilstm (Dev 2020).",
    intra="Add intra-sentence attention (word vectors only).",
    hidden="The width of every hidden layer; for ELMo, of the BiLSTM.",
    attention="The width of attend (ELMo only); 0: that of the BiLSTM and ELMo together.",
    classification="The width of compare and aggregate (ELMo only).",
    tune="Weights of an encoder to train in addition to the head: all, none, last:4 (blocks), "
    "adapters:16.",
    longest="Leave out longer training pairs, in word pieces (encoders only).",
    precision="single, or bfloat16 on processors that support it (encoders only).",
    epochs="Maximum number of epochs.",
    patience="Stop after this many epochs without a better dev accuracy.",
    batch="Pairs in a step.",
    learning_rate="The highest learning rate.",
    dropout="Dropout rate before each layer.",
)


@takes(given=SETTINGS, adversaries=options.adversaries_of)
def nli(
    *,
    file: shared.FileArgument = None,
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            help="A folder with SNLI or data of its kind: jsonl, tsv, txt (also .gz) or s1, s2, "
            'labels. Splits are recognised by "train"/"subset", "dev" and "test" in file names.',
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Path of the model: a .safetensors file on word vectors, otherwise a folder.",
        ),
    ],
    given: Given,
    method: options.MethodOption = None,
    concept: options.FittedByOption = None,
    fit_contexts: shared.FitContextsOption = None,
    most: options.SampleOption = 0,
    adversaries: AdversarySettings | None,
    seed: Annotated[int, typer.Option(help=options.SEED)] = NliTraining.seed,
    threads: Annotated[int, typer.Option(help=options.THREADS)] = NliTraining.threads,
    note: options.NoteOption = "",
    skip_bad: shared.SkipBadOption = False,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Train an inference model on pairs of sentences: on word vectors, an ELMo or an encoder.

    Example: unslant train nli minilm --data snli_1.0/ -o minilm-nli

    On word vectors or an ELMo, which stay fixed, it is decomposable attention; an encoder is
    fine-tuned, and reads both sentences together. Every finished epoch is kept next to the
    output; the same command goes on after a stop.
    """
    torch_for("Training")
    common = {"seed": seed, "threads": threads}
    if file is None or not is_model(file):
        only = {"--with": method, "--concept": concept, "--fit-contexts": fit_contexts}
        for flag, value in {**only, "--most": most, "--adversary": adversaries}.items():
            if value:
                raise UnslantError(f"{flag} does not apply to training on word vectors.")
        training = made_of(NliTraining, given, "on word vectors", **common)
        check_output(output, overwrite=overwrite)
        vectors = shared.InputReading().vectors(file)
        with said_what_is_kept(checkpoint_for(output)), shared.progress_bar() as progress:
            pairs = read_corpus(data, skip_bad=skip_bad, progress=progress)
            shared.say_skipped(pairs.skipped)
            trained = train_to(output, vectors, pairs, training, note, progress)
        show_model(trained, output, epochs_table(trained.record), as_json=as_json)
        return
    if overwrite:
        raise UnslantError(
            "--overwrite is for files. Remove the folder first, or name another one."
        )
    folder = NewFolder(file, output, method, concept, fit_contexts)
    if is_elmo_folder(Path(file)):
        if adversaries is not None:
            raise UnslantError("--adversary does not apply to training on an ELMo.")
        on_elmo = made_of(ElmoTraining, given, "on an ELMo", **common)
        _train_on_elmo(folder, data, on_elmo, most, note, skip_bad, as_json)
        return
    how = made_of(FineTuning, given, "on an encoder", **common)
    folder.fine_tune(
        partial(_fine_tuned, data, how, adversaries, most, note, skip_bad), as_json=as_json
    )


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


def _train_on_elmo(
    folder: NewFolder,
    data: Path,
    how: ElmoTraining,
    most: int,
    note: str,
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Train decomposable attention on an ELMo, write both to the folder and show the epochs."""
    folder.check()
    elmo = load_elmo(folder.model)
    from unslant.models.nli.elmo_trained import write_elmo_nli
    from unslant.models.nli.elmo_training import train_on_elmo

    with folder.training() as progress:
        pairs = read_corpus(data, skip_bad=skip_bad, keeps_case=True, progress=progress)
        shared.say_skipped(pairs.skipped)
        treated = folder.treated(elmo, progress)
        assert isinstance(treated, ElmoModel)
        trained = train_on_elmo(
            treated, pairs, how, most=most, checkpoint=folder.kept, note=note, progress=progress
        )
        write_elmo_nli(elmo, trained, folder.output)
    folder.show(trained.record, as_json=as_json)
