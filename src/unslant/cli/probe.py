"""``unslant probe nli``: do biased vectors make biased inferences?"""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from unslant.cli import shared
from unslant.cli.nli import SkipBadOption
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import UnslantError
from unslant.methods import methods_of
from unslant.models.nli.corpus import read_corpus
from unslant.models.nli.settings import Training
from unslant.models.nli.trained import load_nli
from unslant.probes.nli import bundled_sets, export, pair_set
from unslant.reports.probing import probe_tables
from unslant.studies.probing import CONTROLS, Retraining, probe_nli


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
        int, typer.Option("--controls", help="How many random directions to compare with.")
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
            help="The concept to debias by; the one that the set is about if none is named.",
            show_default=False,
        ),
    ] = None,
    determiner: Annotated[
        str | None, typer.Option("--determiner", help="The, or A (then also An).")
    ] = None,
    pairing: Annotated[
        str | None, typer.Option("--pairing", help="Which verbs go with which objects.")
    ] = None,
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
    seed: Annotated[int, typer.Option(help="The seed of resamples, samples and controls.")] = 0,
    resamples: Annotated[int, typer.Option(help="Resamples for the intervals.")] = 1_000,
    skip_bad: SkipBadOption = False,
    as_json: shared.JsonOption = False,
    missing: shared.MissingOption = "drop",
    case: shared.CaseOption = "lower",
) -> None:
    """Ask template pairs whose right answer is neutral of a model that reads the vectors.

    Example: unslant probe nli --set marked-attribute --debias "hard | misp" --compare
    """
    if list_sets:
        _list(as_json)
        return
    pairs = pair_set(name, determiner=determiner, pairing=pairing, contexts=contexts, seed=seed)
    if export_to is not None:
        with shared.progress_bar() as progress:
            count = export(pairs, export_to, progress=progress)
        shared.out.print(f"{count:,} pairs: {export_to}", soft_wrap=True, markup=False)
        return
    slices = [_two_words(text) for text in only or []]
    chosen = concept(concept_name or pairs.concept or "gender") if method else None
    if method is not None:
        methods_of(method)
    model = load_nli(model_file) if model_file else None
    vectors = shared.load_for_cli(file)
    with shared.progress_bar() as progress:
        retraining = None
        if retrain is not None:
            splits = read_corpus(retrain, skip_bad=skip_bad, progress=progress)
            retraining = Retraining(pairs=splits, how=Training())
        done = probe_nli(
            vectors,
            pairs,
            model=model,
            method=method,
            concept=chosen,
            policy=WordPolicy(missing=missing, case=case),
            compare=compare,
            controls=controls,
            retraining=retraining,
            examples=examples,
            only=slices,
            seed=seed,
            resamples=resamples,
            progress=progress,
        )
    if as_json:
        shared.print_json(done.record)
    else:
        shared.out.print(probe_tables(done.record))


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
