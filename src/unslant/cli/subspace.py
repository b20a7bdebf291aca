"""``unslant inspect subspace``: the bias direction, and how well it is determined."""

from dataclasses import asdict
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.completion import directions
from unslant.cli.listing import show_listing
from unslant.concepts import WordPolicy, concept
from unslant.studies.resources import space_of
from unslant.subspaces.estimator import estimate
from unslant.subspaces.stability import stability


def run(
    file: shared.FileArgument = None,
    concept_name: shared.ConceptOption = "gender",
    by: Annotated[
        str | None,
        typer.Option(
            "--direction",
            help="How to estimate it, such as pair-pca(k=2): unslant list directions",
            autocompletion=directions,
        ),
    ] = None,
    contexts: shared.ContextsOption = None,
    as_json: shared.JsonOption = False,
    missing: shared.MissingOption = "drop",
    case: shared.CaseOption = "lower",
    cache: shared.CacheOption = True,
) -> None:
    """Estimate a concept's direction and compare it with other estimates of it.

    Example: unslant inspect subspace --concept nationality

    In a language model name a place: unslant inspect subspace "MODEL@layer:-1[word]"
    """
    chosen = concept(concept_name)
    policy = WordPolicy(missing=missing, case=case)
    with shared.progress_bar() as progress:
        given = shared.InputReading(cache=cache).resource(file)
        vectors = space_of(given, chosen, contexts=contexts, cache=cache, progress=progress)
    used = estimate(by, vectors, chosen, policy)
    rows = stability(vectors, chosen, used=by, policy=policy)
    if as_json:
        shared.print_json(
            {
                "estimator": used.estimator,
                "k": used.k,
                "strength": used.strength,
                "explained": list(used.explained),
                "basis": used.basis.tolist(),
                "words": [asdict(use) for use in used.words],
                "stability": [asdict(row) for row in rows],
            }
        )
        return
    strength = "not applicable" if used.strength is None else f"{used.strength:.3f}"
    shared.out.print(f"{used.estimator}: {used.k} of {vectors.dim} dimensions, strength {strength}")
    cells = []
    for row in rows:
        ratios = [f"{ratio:.2f}" for ratio in row.ratios]
        cells.append((row.estimator, *ratios, *["–"] * (3 - len(ratios)), f"{row.cosine:.2f}"))
    head = ("other estimate", "2nd/1st", "3rd/1st", "4th/1st", "cosine with it")
    show_listing(head, cells, typed=range(5))
