"""``unslant measure``: one metric on one file."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from unslant.cli import shared
from unslant.cli.completion import metrics as complete_metrics
from unslant.cli.completion import tests as complete_tests
from unslant.cli.option_groups import takes
from unslant.cli.typed import typed_command
from unslant.concepts import WordPolicy, concept
from unslant.core.measurement import Measurement
from unslant.core.record import Result
from unslant.core.verdicts import finding_of
from unslant.core.visible import visible
from unslant.core.wording import how_p, interval, level, named, number, p_value, some
from unslant.measures.registry import meaning
from unslant.studies.verbs import measure

_SHOWN = 40
"""How many words of a list are printed; the JSON record has all of them."""


@takes(reading=shared.reading_of)
def run(
    *,
    metric: Annotated[
        str,
        typer.Argument(
            help="A metric, with parameters if needed: weat(ddof=0)",
            autocompletion=complete_metrics,
        ),
    ],
    file: shared.FileArgument = None,
    concept_name: shared.ConceptOption = "gender",
    test: Annotated[
        str | None,
        typer.Option(
            "--test",
            "-t",
            help="The concept's test, for metrics of tests.",
            autocompletion=complete_tests,
        ),
    ] = None,
    baseline: shared.BaselineOption = None,
    as_json: shared.JsonOption = False,
    contexts: shared.ContextsOption = None,
    missing: shared.MissingOption = "fail",
    case: shared.CaseOption = "lower",
    reading: shared.Reading,
) -> None:
    """Measure word vectors, or a place in a language model, by one metric.

    Example: unslant measure weat glove.txt --concept gender --test career-family --json

    In a model: unslant measure weat bert-folder@layer:-1[cls] --test career-family
    """
    chosen = concept(concept_name)
    subject = chosen if test is None else chosen.test(test)
    policy = WordPolicy(missing=missing, case=case)
    vectors = reading.resource(file)
    before = shared.Reading(cache=reading.cache).resource(baseline) if baseline else None
    with shared.progress_bar() as progress:
        result = measure(
            metric,
            vectors,
            subject,
            policy,
            baseline=before,
            contexts=contexts,
            cache=reading.cache,
            progress=progress,
        )
    if as_json:
        more = {"verdict": _verdict(result), "command": typed_command()}
        shared.print_json({**result.to_dict(), **more})
    else:
        _show(result)


def _verdict(result: Measurement) -> str:
    """What the number shows, in a sentence."""
    own = result.inputs["vectors_sha256"]
    has_baseline = result.inputs.get("baseline_sha256", own) != own
    found = finding_of(Result(now=result), meaning(result.metric), has_baseline=has_baseline)
    return found.sentence


def _show(result: Measurement) -> None:
    table = Table(title=visible(result.title), title_justify="left", show_header=False)
    table.add_column()
    table.add_column(overflow="fold")
    table.add_row(result.metric, f"{number(result.value, 4)}  (better: {result.better})")
    if result.value is None:
        table.add_row("undefined", Text(visible(result.why_undefined)))
    if result.p is not None:
        table.add_row("p", f"{p_value(result.p)}, {result.p.alternative}, {how_p(result.p)}")
    if result.interval is not None:
        ends = interval(result.interval, 4)
        table.add_row(level(result.interval.level), f"{ends} ({result.interval.how})")
    table.add_row("verdict", Text(visible(_verdict(result))))
    for name, value in result.details.items():
        text = f"{value:.4f}" if isinstance(value, float) else str(value)
        table.add_row(named(name), Text(text))
    for use in result.words:
        table.add_row(
            f"{visible(use.set)} ({len(use.used)})", Text(visible(some(use.used, _SHOWN)))
        )
        if use.missing:
            table.add_row("  missing", Text(visible(some(use.missing, _SHOWN)), style="yellow"))
        if use.set_aside:
            table.add_row("  set aside", Text(visible(some(use.set_aside, _SHOWN))))
    if result.influence:
        shown = [
            f"{item['word']} {number(float(item['without']))}" for item in result.influence[:5]
        ]
        table.add_row("without the word", Text(visible(", ".join(shown))))
    table.add_row("vectors", f"{result.inputs['vectors']} {result.inputs['vectors_sha256'][:12]}…")
    for warning in result.warnings:
        table.add_row("warning", Text(warning, style="yellow"))
    shared.out.print(table)
