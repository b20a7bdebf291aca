"""``unslant probe nli``: do biased vectors make biased inferences?"""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from unslant.cli import shared
from unslant.concepts import WordPolicy, bundled_concepts, concept
from unslant.core.errors import OutputError, UnslantError
from unslant.core.seeds import check_seed
from unslant.datasets.nli import read_corpus
from unslant.methods import methods_of
from unslant.models.nli.settings import Training
from unslant.models.nli.trained import load_nli
from unslant.probes.nli import PairSet, bundled_pairings, bundled_sets, export, pair_set
from unslant.reports.terminal import record_tables
from unslant.studies.probing import CONTROLS, Retraining, probe_nli

_NEEDS = {
    "compare": ("method", "--debias"),
    "controls": ("compare", "--compare"),
    "concept_name": ("method", "--debias"),
    "case": ("method", "--debias"),
    "skip_bad": ("retrain", "--retrain"),
    "overwrite": ("export_to", "--export"),
}
"""Options that do nothing on their own, each with the one that gives it something to do."""
_NOT_EXPORTED = (
    "method",
    "model_file",
    "retrain",
    "only",
    "examples",
    "resamples",
    "missing",
    "html",
)
"""Options about asking, which an export does not do."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    group = typer.Typer(
        help="What the bias of vectors changes downstream.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("nli")(nli)
    app.add_typer(group, name="probe")


def nli(
    context: typer.Context,
    file: shared.FileArgument = None,
    name: Annotated[
        str, typer.Option("--set", help="A bundled test set, or the path of a template file.")
    ] = "gender-occupation",
    list_sets: Annotated[
        bool, typer.Option("--list", help="Name the bundled test sets with their pair counts.")
    ] = False,
    method: Annotated[
        str | None,
        typer.Option("--debias", help="Debias first, by a method or a chain: hard | misp"),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare", help="Also before debiasing, and with random directions removed."
        ),
    ] = False,
    controls: Annotated[
        int,
        typer.Option(
            "--controls",
            help="With --compare: how often to remove random directions, as many as the method.",
        ),
    ] = CONTROLS,
    model_file: Annotated[
        Path | None,
        typer.Option("--model", help="A model of unslant nli train; the built-in one if none."),
    ] = None,
    retrain: Annotated[
        Path | None,
        typer.Option(
            "--retrain", help="Train a model for each space on the pairs in this folder, as SNLI."
        ),
    ] = None,
    concept_name: Annotated[
        str | None,
        typer.Option(
            "--concept",
            "-c",
            help="With --debias: the concept to debias by; the set's own if none is named.",
            show_default=False,
        ),
    ] = None,
    determiner: Annotated[
        str | None, typer.Option("--determiner", help="the, or a (then also an).")
    ] = None,
    pairing: Annotated[
        str | None,
        typer.Option(
            "--pairing",
            help=f"Which verbs go with which objects: {', '.join(bundled_pairings())}.",
        ),
    ] = None,
    unique: Annotated[
        bool, typer.Option("--unique", help="Count a word that a list repeats once.")
    ] = False,
    contexts: Annotated[
        int | None, typer.Option("--contexts", help="Only so many verbs with objects, drawn.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--slice", help="Mean answer of two words, as in rude,iraqi; repeatable."),
    ] = None,
    examples: Annotated[
        int, typer.Option("--examples", help="How many extreme pairs of each kind.")
    ] = 5,
    export_to: Annotated[
        Path | None,
        typer.Option("--export", help="Write the pairs to this .csv or .jsonl file, ask nothing."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output.")] = False,
    seed: Annotated[
        int, typer.Option(help="The seed of resamples, samples, controls and retraining.")
    ] = 0,
    resamples: Annotated[int, typer.Option(help="Resamples for the intervals.")] = 1_000,
    skip_bad: shared.SkipBadOption = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a report to this .html file as well.")
    ] = None,
    as_json: shared.JsonOption = False,
    missing: Annotated[
        str, typer.Option("--missing", help="Words of the set not in the vectors: fail, or drop.")
    ] = "drop",
    case: shared.CaseOption = "lower",
) -> None:
    """Ask template pairs whose right answer is neutral of a model that reads the vectors.

    Example: unslant probe nli --set marked-attribute --debias "hard | misp" --compare
    """
    if list_sets:
        _list(as_json)
        return
    _refuse_idle(context)
    check_seed(seed)
    if html is not None and html.suffix != ".html":
        raise OutputError(f"{html}: a report is written as .html.")
    pairs = pair_set(
        name,
        determiner=determiner,
        pairing=pairing,
        unique=unique,
        contexts=contexts,
        seed=seed,
    )
    if export_to is not None:
        _export(pairs, export_to, overwrite=overwrite, as_json=as_json)
        return
    slices = [_two_words(text) for text in only or []]
    chosen = None
    if method is not None:
        methods_of(method)
        if not (concept_name or pairs.concept):
            raise UnslantError(
                f'The set "{pairs.name}" does not say which concept it is about; name the one to '
                f"debias by with --concept ({', '.join(bundled_concepts())}, or a file)."
            )
        chosen = concept(concept_name or pairs.concept)
    policy = WordPolicy(missing=missing, case=case)
    model = load_nli(model_file) if model_file else None
    vectors = shared.load_for_cli(file)
    with shared.progress_bar() as progress:
        retraining = None
        if retrain is not None:
            splits = read_corpus(retrain, skip_bad=skip_bad, progress=progress)
            shared.say_skipped(splits.skipped)
            retraining = Retraining(pairs=splits, how=Training(seed=seed))
        done = probe_nli(
            vectors,
            pairs,
            model=model,
            method=method,
            concept=chosen,
            policy=policy,
            compare=compare,
            controls=controls,
            retraining=retraining,
            examples=examples,
            only=slices,
            seed=seed,
            resamples=resamples,
            progress=progress,
        )
        if html is not None:
            done.save(html, progress=progress)
    if as_json:
        shared.print_json(done.to_dict())
    else:
        shared.out.print(record_tables(done.record))
        if html is not None:
            shared.out.print(f"Report: {html}", soft_wrap=True, markup=False)


def _refuse_idle(context: typer.Context) -> None:
    """Refuse options that would do nothing: whoever gives one expects something of it."""
    given = {name for name in context.params if _is_given(context, name)}
    flags = {item.name: max(item.opts, key=len) for item in context.command.params}
    for name, (needed, flag) in _NEEDS.items():
        if name in given and needed not in given:
            raise UnslantError(
                f"{flags[name]} does nothing without {flag}. Add {flag}, or leave out "
                f"{flags[name]}."
            )
    for name in _NOT_EXPORTED:
        if "export_to" in given and name in given:
            raise UnslantError(
                f"{flags[name]} does nothing with --export, which asks no model. Leave out one."
            )


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _export(pairs: PairSet, path: Path, *, overwrite: bool, as_json: bool) -> None:
    if path.is_dir() or not path.absolute().parent.is_dir():
        fault = "is a folder" if path.is_dir() else "lies in a folder that does not exist"
        raise OutputError(f"{path} {fault}. Choose another name for the pairs.")
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists. Choose another name, or add --overwrite.")
    with shared.progress_bar() as progress:
        count = export(pairs, path, progress=progress)
    if as_json:
        shared.print_json({"pairs": count, "file": str(path)})
    else:
        shared.out.print(f"{count:,} pairs: {path}", soft_wrap=True, markup=False)


def _two_words(text: str) -> tuple[str, str]:
    words = [word.strip() for word in text.split(",")]
    if len(words) != 2 or not all(words):
        raise UnslantError(
            f'A slice is two words with a comma, the premise word first, as in "rude,iraqi", not '
            f'"{text}".'
        )
    return words[0], words[1]


def _list(as_json: bool) -> None:
    sets = [pair_set(name) for name in bundled_sets()]
    if as_json:
        shared.print_json(
            [
                {"name": item.name, "pairs": len(item), "family": item.family, "about": item.about}
                for item in sets
            ]
        )
        return
    table = Table()
    table.add_column("set", no_wrap=True)
    table.add_column("pairs", justify="right", no_wrap=True)
    table.add_column("measures", no_wrap=True)
    table.add_column("what it asks", ratio=1)
    for item in sets:
        table.add_row(item.name, f"{len(item):,}", item.family, item.title)
    shared.out.print(table)
