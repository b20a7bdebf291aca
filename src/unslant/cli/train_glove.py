"""``unslant train glove`` and ``unslant train gn-glove``: word vectors from text."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from unslant.cli import shared
from unslant.cli.outputs import FormatOption, OverwriteOption, check_new
from unslant.cli.training import check_folder, said_what_is_kept
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
DimensionsOption = Annotated[int, typer.Option(help="Components of each vector.")]
WindowOption = Annotated[int, typer.Option(help="Words this far apart are counted together.")]
MinimumOption = Annotated[int, typer.Option(help="Leave out words that occur less often.")]
IterationsOption = Annotated[int, typer.Option(help="Passes over all counted pairs.")]
BoundaryOption = Annotated[
    str,
    typer.Option(
        help="What no window crosses: line, paragraph (an empty line; for text with hard line "
        "breaks), or file."
    ),
]
RateOption = Annotated[float, typer.Option(help="The first learning rate of AdaGrad.")]
AdagradOption = Annotated[
    bool,
    typer.Option("--adagrad/--no-adagrad", help="AdaGrad, or a constant learning rate."),
]
AlphaOption = Annotated[float, typer.Option(help="The exponent of the weighting function.")]
XMaxOption = Annotated[float, typer.Option("--x-max", help="Counts from here on weigh 1.")]
MemoryOption = Annotated[
    int, typer.Option(help="Megabytes that counting may hold; the rest goes to disk.")
]
CountsOption = Annotated[
    Path | None,
    typer.Option(
        "--counts",
        help="Keep the counts in this folder, and use them if they are there.",
        show_default=False,
    ),
]
SeedOption = Annotated[int, typer.Option(help="The seed of everything random.")]
ThreadsOption = Annotated[
    int, typer.Option(help="Threads; only with 1 is a run repeatable to the last bit.")
]
NoteOption = Annotated[
    str, typer.Option(help="Kept in the record: where the text is from, its licence.")
]


def glove(
    corpus: CorpusArgument,
    output: OutputOption,
    dimensions: DimensionsOption = GloveSettings.dimensions,
    window: WindowOption = CountSettings.window,
    minimum: MinimumOption = CountSettings.minimum,
    iterations: IterationsOption = GloveSettings.iterations,
    boundary: BoundaryOption = CountSettings.boundary,
    learning_rate: RateOption = GloveSettings.learning_rate,
    adagrad: AdagradOption = GloveSettings.adagrad,
    alpha: AlphaOption = GloveSettings.alpha,
    x_max: XMaxOption = GloveSettings.x_max,
    memory: MemoryOption = CountSettings.memory,
    counts: CountsOption = None,
    seed: SeedOption = GloveSettings.seed,
    threads: ThreadsOption = GloveSettings.threads,
    note: NoteOption = "",
    format_name: FormatOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Train GloVe vectors on text (Pennington et al. 2014).

    Example: unslant train glove novels.txt.xz -o novels.safetensors --threads 2

    Every finished iteration is kept beside the output; the same command goes on after a stop.
    """
    counting = CountSettings(window=window, minimum=minimum, boundary=boundary, memory=memory)
    how = GloveSettings(
        dimensions=dimensions,
        iterations=iterations,
        learning_rate=learning_rate,
        alpha=alpha,
        x_max=x_max,
        adagrad=adagrad,
        seed=seed,
        threads=threads,
    )
    check = _Output(output, format_name, overwrite)
    _shown(check.trained(corpus, counting, how, None, counts, note), output, as_json)


def gn_glove(
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
    group_weight: Annotated[
        float, typer.Option(help="λ_d, the weight of J_D, which keeps the groups apart in w_g.")
    ] = NeutralSettings.group_weight,
    neutral_weight: Annotated[
        float, typer.Option(help="λ_e, the weight of J_E, which keeps the attribute out of w_a.")
    ] = NeutralSettings.neutral_weight,
    form: Annotated[
        str, typer.Option(help="The form of J_D: l1, or l2, which also joins more than two groups.")
    ] = NeutralSettings.form,
    clip: Annotated[
        float, typer.Option(help="The largest size of a coordinate; 0 for no limit.")
    ] = NeutralSettings.clip,
    accumulates: Annotated[
        bool,
        typer.Option(
            "--accumulate",
            help="Sum the direction over iterations, as the published program does.",
        ),
    ] = NeutralSettings.accumulates,
    dimensions: DimensionsOption = GloveSettings.dimensions,
    window: WindowOption = CountSettings.window,
    minimum: MinimumOption = CountSettings.minimum,
    iterations: IterationsOption = GloveSettings.iterations,
    boundary: BoundaryOption = CountSettings.boundary,
    learning_rate: RateOption = GloveSettings.learning_rate,
    adagrad: AdagradOption = GloveSettings.adagrad,
    alpha: AlphaOption = GloveSettings.alpha,
    x_max: XMaxOption = GloveSettings.x_max,
    memory: MemoryOption = CountSettings.memory,
    counts: CountsOption = None,
    seed: SeedOption = GloveSettings.seed,
    threads: ThreadsOption = GloveSettings.threads,
    note: NoteOption = "",
    format_name: FormatOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Train GloVe vectors that keep an attribute in coordinates of its own (Zhao et al. 2018).

    Example: unslant train gn-glove novels.txt.xz --concept gender -o neutral.safetensors

    The last coordinate (one for each group, if there are more than two) is w_g; the others are
    w_a: unslant convert neutral.safetensors w_a.safetensors --view w_a, or the method drop-last.
    """
    counting = CountSettings(window=window, minimum=minimum, boundary=boundary, memory=memory)
    how = GloveSettings(
        dimensions=dimensions,
        iterations=iterations,
        learning_rate=learning_rate,
        alpha=alpha,
        x_max=x_max,
        adagrad=adagrad,
        seed=seed,
        threads=threads,
    )
    terms = NeutralSettings(
        group_weight=group_weight,
        neutral_weight=neutral_weight,
        form=form,
        clip=clip,
        accumulates=accumulates,
    )
    attribute = Attribute(concept=concept, table=words, how=terms)
    check = _Output(output, format_name, overwrite)
    _shown(check.trained(corpus, counting, how, attribute, counts, note), output, as_json)


class _Output:
    """Where vectors go, checked before anything is computed."""

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


def _curve(record: dict[str, Any]) -> Table:
    corpus = record["corpus"]
    table = Table(
        caption=f"{corpus['tokens']:,} words of text, {corpus['words']:,} different ones kept, "
        f"{corpus['cells']:,} pairs"
    )
    names = list(record["iterations"][0])
    for column in ("iteration", *names):
        table.add_column(column, justify="right")
    for number, each in enumerate(record["iterations"], 1):
        table.add_row(str(number), *(f"{each[name]:.4g}" for name in names))
    return table
