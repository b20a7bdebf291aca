"""``unslant measure``: one metric on one file."""

from collections.abc import Iterator
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.completion import metrics as complete_metrics
from unslant.cli.completion import tests as complete_tests
from unslant.cli.option_groups import takes
from unslant.cli.typed import typed_command
from unslant.concepts import WordPolicy, concept
from unslant.core.measurement import Measurement
from unslant.core.record import Result
from unslant.core.verdicts import finding_of
from unslant.core.wording import how_p, interval, level, named, number, p_value, some
from unslant.measures.registry import meaning
from unslant.reports.table_terminal import StyledFact, fact_table
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
    reading: shared.InputReading,
) -> None:
    """Measure word vectors, or a place in a language model, by one metric.

    Example: unslant measure weat glove.txt --concept gender --test career-family --json

    In a model: unslant measure weat bert-folder@layer:-1[cls] --test career-family
    """
    chosen = concept(concept_name)
    subject = chosen if test is None else chosen.test(test)
    policy = WordPolicy(missing=missing, case=case)
    vectors = reading.resource(file)
    before = shared.InputReading(cache=reading.cache).resource(baseline) if baseline else None
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
    """The verdict on the number, in a sentence."""
    own = result.inputs["vectors_sha256"]
    has_baseline = result.inputs.get("baseline_sha256", own) != own
    found = finding_of(Result(now=result), meaning(result.metric), has_baseline=has_baseline)
    return found.sentence


def _show(result: Measurement) -> None:
    shared.out.print(fact_table(result.title, _facts(result)))


def _facts(result: Measurement) -> Iterator[StyledFact]:
    """What is printed about a measurement: a name, a text and its style."""
    yield result.metric, f"{number(result.value, 4)}  (better: {result.better})", ""
    if result.value is None:
        yield "undefined", result.why_undefined, ""
    if result.p is not None:
        yield "p", f"{p_value(result.p)}, {result.p.alternative}, {how_p(result.p)}", ""
    if result.interval is not None:
        ends = interval(result.interval, 4)
        yield level(result.interval.level), f"{ends} ({result.interval.how})", ""
    yield "verdict", _verdict(result), ""
    for name, value in result.details.items():
        yield named(name), number(value, 4) if isinstance(value, float) else str(value), ""
    for use in result.words:
        yield f"{use.set} ({len(use.used)})", some(use.used, _SHOWN), ""
        if use.missing:
            yield "  missing", some(use.missing, _SHOWN), "yellow"
        if use.set_aside:
            yield "  set aside", some(use.set_aside, _SHOWN), ""
    if result.influence:
        shown = [
            f"{item['word']} {number(float(item['without']))}" for item in result.influence[:5]
        ]
        yield "without the word", ", ".join(shown), ""
    yield "vectors", f"{result.inputs['vectors']} {result.inputs['vectors_sha256'][:12]}…", ""
    for warning in result.warnings:
        yield "warning", warning, "yellow"
