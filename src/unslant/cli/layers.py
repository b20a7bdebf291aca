"""``unslant inspect layers``, ``heads`` and ``re-emergence``: inside a language model."""

from typing import Annotated, Literal

import typer

from unslant.cli import shared
from unslant.cli.components import completing
from unslant.cli.option_groups import takes
from unslant.cli.outputs import Outputs, outputs_of
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import UnslantError
from unslant.measures.registry import metrics
from unslant.models.language.model import TransformerModel
from unslant.studies.head_map import CHECKED, contrasts_from, head_map, score_for
from unslant.studies.layer_map import layer_map
from unslant.studies.re_emergence import re_emergence as find_re_emergence
from unslant.studies.resources import model_from
from unslant.studies.verbs import debias

ModelArgument = Annotated[
    str, typer.Argument(help="The folder of a language model, or its name in the hub's cache.")
]


@takes(outputs=outputs_of)
def layers(
    *,
    metric: Annotated[
        str,
        typer.Argument(
            help="A metric that needs only a space: weat, probing",
            autocompletion=completing(metrics),
        ),
    ],
    model: ModelArgument,
    concept_name: shared.ConceptOption = "gender",
    test: Annotated[
        str | None, typer.Option("--test", "-t", help="The concept's test, for metrics of tests.")
    ] = None,
    methods: shared.MethodOption = None,
    heads: Annotated[
        Literal["query", "key", "value", "attention"] | None,
        typer.Option("--heads", help="Every head of this part of attention, as a heat map."),
    ] = None,
    contexts: shared.ContextsOption = None,
    outputs: Outputs,
    missing: shared.MissingOption = "drop",
) -> None:
    """Measure every layer of a language model, or every head, by one metric, as one figure.

    Example: unslant inspect layers weat bert-folder --test career-family --html layers.html
    """
    chosen = concept(concept_name)
    subject = chosen if test is None else chosen.test(test)
    around = contexts or ("bleached" if subject.items == "words" else None)
    with shared.progress_bar() as progress:
        found = model_from(model)
        if methods is not None:
            found = debias(methods, found, chosen, progress=progress)
        done = layer_map(
            metric,
            found,
            subject,
            contexts=around,
            component=heads or "",
            policy=WordPolicy(missing=missing),
            progress=progress,
        )
    outputs.finish(done)


@takes(outputs=outputs_of)
def re_emergence(
    *,
    model: ModelArgument,
    methods: Annotated[str, typer.Option("--with", "-w", help="Methods at places: leace@layer:3")],
    concept_name: shared.ConceptOption = "gender",
    contexts: shared.ContextsOption = None,
    outputs: Outputs,
) -> None:
    """Show where a concept that was erased at one place can be recovered again in later layers.

    Example: unslant inspect re-emergence bert-folder --with "leace@layer:3" --html later.html
    """
    chosen = concept(concept_name)
    with shared.progress_bar() as progress:
        changed = debias(methods, model_from(model), chosen, progress=progress)
        done = find_re_emergence(
            changed, chosen, contexts=contexts or "bleached", progress=progress
        )
    outputs.finish(done)


@takes(outputs=outputs_of)
def heads(
    *,
    model: ModelArgument,
    items: Annotated[
        str,
        typer.Option(
            "--set", help="stereoset, crows-pairs, or a table of sentence pairs in its layout."
        ),
    ] = "stereoset",
    kinds: Annotated[
        str, typer.Option("--kinds", help="Only these kinds of bias, for sets of pairs: gender")
    ] = "",
    check: Annotated[
        int, typer.Option("--ablate", help="How many heads to ablate, the most suspicious first.")
    ] = CHECKED,
    to: Annotated[
        Literal["mean", "zero"], typer.Option("--to", help="What an ablated head gives.")
    ] = "mean",
    outputs: Outputs,
    seed: Annotated[int, typer.Option("--seed", help="The seed of halves and resamples.")] = 0,
) -> None:
    """Map which heads of a language model a bias hangs on: ranked by gradient, then ablated.

    Example: unslant inspect heads bert-folder --set crows-pairs --kinds gender --html heads.html
    """
    contrasts = contrasts_from(items, kinds)
    with shared.progress_bar() as progress:
        found = model_from(model)
        if not isinstance(found, TransformerModel):
            raise UnslantError(f"{found.name} has no heads of attention.")
        done = head_map(
            score_for(found, contrasts),
            found,
            contrasts,
            check=check,
            to_zero=to == "zero",
            seed=seed,
            progress=progress,
        )
    outputs.finish(done)
