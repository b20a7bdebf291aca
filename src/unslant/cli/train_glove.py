"""``unslant train glove`` and ``unslant train gn-glove``: word vectors from text."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from unslant.cli import shared
from unslant.cli import training_options as options
from unslant.cli.option_groups import settings_of, takes
from unslant.cli.outputs import FormatOption, OverwriteOption, check_new
from unslant.cli.training import check_folder, said_what_is_kept, training_table
from unslant.core.errors import OutputError
from unslant.models.glove.output import (
    Attribute,
    TrainedVectors,
    record_path,
    train_to,
    work_folder,
)
from unslant.models.glove.settings import CountSettings, GloveSettings, NeutralSettings
from unslant.vectors.save import format_of

CorpusArgument = Annotated[
    Path,
    typer.Argument(
        help="A text file (plain, .gz, .xz, .bz2 or .zip), or a folder of them.",
        show_default=False,
    ),
]
OutputOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="Path of the vectors: ends in .safetensors, .npz, .bin, .vec or .txt (also .gz, .xz).",
        show_default=False,
    ),
]
CountsOption = Annotated[
    Path | None,
    typer.Option(
        "--counts",
        help="Keep the counts in this folder, and use them if they are there.",
        show_default=False,
    ),
]

COUNTING = settings_of(
    CountSettings,
    window="Words this far apart are counted together.",
    minimum="Leave out words that occur less often.",
    boundary="What no window crosses: line, paragraph (an empty line; for text with hard line "
    "breaks), or file.",
    memory="Megabytes that counting may hold; the rest goes to disk.",
)
TRAINING = settings_of(
    GloveSettings,
    dimensions="Components of each vector.",
    iterations="Passes over all counted pairs.",
    learning_rate="The first learning rate of AdaGrad.",
    adagrad=typer.Option("--adagrad/--no-adagrad", help="AdaGrad, or a constant learning rate."),
    alpha="The exponent of the weighting function.",
    x_max="Counts from here on weigh 1.",
    seed=options.SEED,
    threads=options.THREADS,
)
NEUTRAL = settings_of(
    NeutralSettings,
    group_weight="λ_d, the weight of J_D, which keeps the groups apart in w_g.",
    neutral_weight="λ_e, the weight of J_E, which keeps the attribute out of w_a.",
    form="The form of J_D: l1, or l2, which also joins more than two groups.",
    clip="The largest size of a coordinate; 0 for no limit.",
    accumulates=typer.Option(
        "--accumulate", help="Sum the direction over iterations, as the published program does."
    ),
)


@takes(how=TRAINING, counting=COUNTING)
def glove(
    *,
    corpus: CorpusArgument,
    output: OutputOption,
    how: GloveSettings,
    counting: CountSettings,
    counts: CountsOption = None,
    note: options.NoteOption = "",
    format_name: FormatOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Train GloVe vectors on text (Pennington et al. 2014).

    Example: unslant train glove novels.txt.xz -o novels.safetensors --threads 2

    Every finished iteration is kept next to the output; the same command resumes after a stop.
    """
    check = _Output(output, format_name, overwrite)
    _shown(check.trained(corpus, counting, how, None, counts, note), output, as_json)


@takes(terms=NEUTRAL, how=TRAINING, counting=COUNTING)
def gn_glove(
    *,
    corpus: CorpusArgument,
    output: OutputOption,
    concept: shared.ConceptOption = "gender",
    words: Annotated[
        str | None,
        typer.Option(
            "--words",
            help="The concept's set with a column for each group whose words are kept apart.",
            show_default="gendered, definitional or the groups' words",
        ),
    ] = None,
    terms: NeutralSettings,
    how: GloveSettings,
    counting: CountSettings,
    counts: CountsOption = None,
    note: options.NoteOption = "",
    format_name: FormatOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Train GloVe vectors that keep an attribute in coordinates of its own (Zhao et al. 2018).

    Example: unslant train gn-glove novels.txt.xz --concept gender -o neutral.safetensors

    The last coordinate (one for each group, if there are more than two) is w_g; the others are
    w_a: unslant files convert neutral.safetensors -o w_a.safetensors --view w_a, or the method
    drop-last.
    """
    attribute = Attribute(concept=concept, table=words, how=terms)
    check = _Output(output, format_name, overwrite)
    _shown(check.trained(corpus, counting, how, attribute, counts, note), output, as_json)


class _Output:
    """The output of vectors, checked before anything is computed."""

    def __init__(self, path: Path, format_name: str | None, overwrite: bool) -> None:
        self.path, self.format_name = path, format_name
        try:
            format_of(path, format_name)
            check_new(path, overwrite=overwrite)
            check_new(record_path(path), overwrite=overwrite)
            check_folder(path)
        except OSError as error:
            raise OutputError(
                f"Cannot write {path}: {error.strerror}. Choose another name or folder."
            ) from error

    def trained(
        self,
        corpus: Path,
        counting: CountSettings,
        how: GloveSettings,
        attribute: Attribute | None,
        counts: Path | None,
        note: str,
    ) -> TrainedVectors:
        """Train, with a progress bar, and say what is kept after Ctrl-C."""
        with said_what_is_kept(work_folder(self.path)), shared.progress_bar() as progress:
            return train_to(
                self.path,
                corpus,
                counting,
                how,
                attribute,
                counts_folder=counts,
                format=self.format_name,
                note=note,
                progress=progress,
            )


def _shown(trained: TrainedVectors, output: Path, as_json: bool) -> None:
    record = trained.record
    if as_json:
        shared.print_json(record)
        return
    shared.out.print(_curve(record))
    groups = record.get("groups")
    if groups:
        held = ", ".join(f"{count:,} {group}" for group, count in groups["words"].items())
        shared.say(f"Words: {held}, {groups['neutral']:,} neutral.")
        if groups["missing"]:
            shared.note(
                f"Note: {len(groups['missing']):,} words of {groups['list']} do not occur often "
                f"enough in the text; the record lists them."
            )
    shared.say(f"{trained.vectors} written to {output}")
    shared.say(f"Record: {record_path(output)}")


def _curve(record: dict[str, Any]) -> RenderableType:
    corpus = record["corpus"]
    names = sorted(record["iterations"][0], key=lambda name: name == "seconds")  # which is last
    return training_table(
        f"{corpus['tokens']:,} words of text, {corpus['words']:,} different ones kept, "
        f"{corpus['cells']:,} pairs",
        {"iteration": 0, **dict.fromkeys(names, 4)},
        ([f"{each[name]:.4g}" for name in names] for each in record["iterations"]),
    )
