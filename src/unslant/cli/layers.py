"""``unslant layers`` and ``unslant comes-back``: a language model layer by layer."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from unslant.cli import shared
from unslant.cli.components import completing
from unslant.cli.outputs import HtmlOption, OverwriteOption, RecordOption, check_new, show, written
from unslant.concepts import WordPolicy, concept
from unslant.measures.registry import metrics
from unslant.studies.comes_back import comes_back
from unslant.studies.layer_map import layer_map
from unslant.studies.record import Recorded
from unslant.studies.resources import model_from
from unslant.studies.verbs import debias

ModelArgument = Annotated[
    str, typer.Argument(help="The folder of a language model, or its name in the hub's cache.")
]


def layers(
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
    methods: Annotated[
        str | None, typer.Option("--with", "-w", help="Methods at places to apply first.")
    ] = None,
    heads: Annotated[
        Literal["query", "key", "value", "attention"] | None,
        typer.Option("--heads", help="Every head of this part of attention, as a heat map."),
    ] = None,
    contexts: shared.ContextsOption = None,
    html: HtmlOption = None,
    record_file: RecordOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
    missing: shared.MissingOption = "drop",
) -> None:
    """Measure every layer of a language model, or every head, by one metric, as one figure.

    Example: unslant layers weat bert-folder --test career-family --html layers.html
    """
    check_new(html, overwrite=overwrite, ending=".html")
    check_new(record_file, overwrite=overwrite, ending=".json")
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
    _finish(done, record_file, html, as_json=as_json)


def back(
    model: ModelArgument,
    methods: Annotated[str, typer.Option("--with", "-w", help="Methods at places: leace@layer:3")],
    concept_name: shared.ConceptOption = "gender",
    contexts: Annotated[
        str, typer.Option("--contexts", help="Sentences that words are put into.")
    ] = "bleached",
    html: HtmlOption = None,
    record_file: RecordOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Show where a concept that was erased at one place can be recovered again in later layers.

    Example: unslant comes-back bert-folder --with "leace@layer:3" --html back.html
    """
    check_new(html, overwrite=overwrite, ending=".html")
    check_new(record_file, overwrite=overwrite, ending=".json")
    chosen = concept(concept_name)
    with shared.progress_bar() as progress:
        changed = debias(methods, model_from(model), chosen, progress=progress)
        done = comes_back(changed, chosen, contexts=contexts, progress=progress)
    _finish(done, record_file, html, as_json=as_json)


def _finish(done: Recorded, record: Path | None, html: Path | None, *, as_json: bool) -> None:
    written(done, record, html)
    show(done, {"Record": record, "Report": html}, as_json=as_json)
