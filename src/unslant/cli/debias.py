"""``unslant debias``: vectors in, less biased vectors out, and what that changed."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from unslant.cli import shared
from unslant.cli.completion import methods as complete_methods
from unslant.cli.debias_model import ModelJob, debias_model
from unslant.cli.option_groups import takes
from unslant.cli.outputs import (
    FormatOption,
    Outputs,
    check_new,
    outputs_of,
)
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import sha256_of_file
from unslant.erasers import Eraser
from unslant.methods.chains import chain_of
from unslant.methods.movement import MovementTally
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased, save_debiased
from unslant.studies.debiasing import check_extent, debiasing, with_eraser
from unslant.studies.resources import is_model
from unslant.studies.tunings import refuse_tunings
from unslant.vectors.save import format_of


@takes(reading=shared.reading_of, outputs=outputs_of)
def run(
    *,
    file: shared.FileArgument = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--with",
            "-w",
            help="A method, or several separated by |: hard | misp. In a language model each "
            "with its place: leace@layer:-1, or one that trains it: cda(text=novels.txt)",
            autocompletion=complete_methods,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Path of the vectors: .safetensors, .npz, .bin, .vec or .txt (also .gz, .xz); "
            "for a language model, of the new folder.",
        ),
    ] = None,
    concept_name: Annotated[
        str | None,
        typer.Option(
            "--concept",
            "-c",
            help="A bundled concept, or the path of a TOML file. Default: gender, or with --apply "
            "the concept that the eraser was fitted for.",
            show_default=False,
        ),
    ] = None,
    apply_file: Annotated[
        Path | None, typer.Option("--apply", help="A fitted eraser to use instead of --with.")
    ] = None,
    save_eraser: Annotated[
        Path | None,
        typer.Option("--save-eraser", help="Write the fitted eraser to this .safetensors file."),
    ] = None,
    extent: Annotated[
        Literal["main", "all", "none"],
        typer.Option("--measure", help="What to compare before and after."),
    ] = "main",
    loader: Annotated[
        Literal["any", "heads", "unslant"],
        typer.Option(
            "--loader",
            help="What applies the debiasing of a language model's folder: any library (a model "
            "that others would load unchanged is refused), transformers with the language-model "
            "head, or us.load() alone.",
        ),
    ] = "any",
    outputs: Outputs,
    format_name: FormatOption = None,
    fit_contexts: shared.FitContextsOption = None,
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--text",
            help="A text file of any size: methods in a language model are fitted on its sentences "
            "with one word of a pair swapped.",
        ),
    ] = None,
    missing: shared.MissingOption = "drop",
    case: shared.CaseOption = "lower",
    reading: shared.InputReading,
) -> None:
    """Fit a method or a chain of methods, apply it, and show what it changed.

    Example: unslant debias glove.6B.300d.txt --with "hard | misp" -o fair.safetensors

    Again on another file: unslant debias other.txt --apply fair.eraser.safetensors -o b.txt

    A sentence encoder: unslant debias minilm --with leace@sentence -o fair-minilm
    """
    if (methods is None) == (apply_file is None):
        if methods is not None:
            raise UnslantError("Name methods (--with) or a fitted eraser (--apply), not both.")
        source = f"{shlex.quote(file)} " if file else ""
        instead = (
            f"To learn which method suits these vectors: unslant recommend {source}".rstrip()
            if file is None or not is_model(file)
            else "Where to act in a model is in docs/walk.md"
        )
        raise UnslantError(
            f'Say what to do with either --with, as in --with "hard | misp", or --apply with a '
            f"fitted eraser. {instead}. All methods are listed by: unslant list methods"
        )
    if file is not None and is_model(file):
        if methods is None or save_eraser is not None:
            raise UnslantError(
                f"{file} is a language model: use --with and -o FOLDER, which keeps the erasers."
            )
        debias_model(
            ModelJob(
                model=file,
                methods=methods,
                concept=concept_name or "gender",
                output=output,
                loader=loader,
                outputs=outputs,
                extent=extent,
                contexts=fit_contexts,
                corpus=corpus,
                policy=WordPolicy(missing=missing, case=case),
            )
        )
        return
    if fit_contexts is not None or corpus is not None or loader != "any":
        raise UnslantError("--fit-contexts, --text and --loader are for language models.")
    # All that can be refused is refused before anything is loaded or fitted.
    if outputs.record is None and output is not None:
        outputs = replace(outputs, record=Path(f"{output}.json"))
    files = {"Vectors": output, "Eraser": save_eraser}
    kept = {**files, "Record": outputs.record, "Report": outputs.html}
    _check_targets(kept, apply_file, overwrite=outputs.overwrite)
    if output is not None:
        format_of(output, format_name)
    check_extent(extent)
    chain = None
    if methods is not None:
        refuse_tunings(methods, Path(file or "glove").name)
        chain = chain_of(methods, Path(file or "glove").name)
    ready = Eraser.load(apply_file) if apply_file else None
    chosen = concept(concept_name or (ready.stages[0].inputs["concept"] if ready else "gender"))
    policy = WordPolicy(missing=missing, case=case)
    vectors = reading.vectors(file)
    with shared.progress_bar() as progress:
        eraser = ready or fit(chain or "", vectors, chosen, policy, progress=progress)
        if save_eraser is not None:
            eraser.save(save_eraser)
        tally = MovementTally(vectors)
        if output is None:
            after = debiased(vectors, eraser, progress, watch=tally.add)
        else:
            after = save_debiased(vectors, eraser, output, format_name, progress, watch=tally.add)
        try:
            done = debiasing(
                vectors,
                after,
                eraser,
                chosen,
                policy,
                moved=tally.result(),
                extent=extent,
                progress=progress,
            )
        except KeyboardInterrupt:
            if output is not None:
                shared.note(f"{output} is complete; its record was not written.")
            raise
    if save_eraser is not None:
        done = with_eraser(done, sha256_of_file(save_eraser))
    outputs.finish(done, **files)
    if output is None and not outputs.as_json:
        shared.out.print("The vectors were not kept; add -o FILE to keep them.")


_ENDINGS = {"Eraser": ".safetensors", "Record": ".json", "Report": ".html"}


def _check_targets(
    targets: Mapping[str, Path | None], source: Path | None, *, overwrite: bool
) -> None:
    """Refuse files that cannot be written, would be lost, or would overwrite each other."""
    taken = {source.resolve(): "eraser to apply"} if source else {}
    for what, path in targets.items():
        if path is None:
            continue
        if path.resolve() in taken:
            other = taken[path.resolve()]
            raise OutputError(
                f"{path} would be both {other} and {what.lower()}. Choose another name."
            )
        taken[path.resolve()] = what.lower()
        check_new(path, overwrite=overwrite, ending=_ENDINGS.get(what, ""))
