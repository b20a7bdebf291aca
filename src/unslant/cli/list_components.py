"""``unslant list``: every metric, probe, method and estimator, or all about one of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.text import Text

from unslant.cli import shared
from unslant.cli.completion import directions as complete_directions
from unslant.cli.completion import methods as complete_methods
from unslant.cli.completion import metrics as complete_metrics
from unslant.cli.completion import probes as complete_probes
from unslant.cli.examples import commands
from unslant.cli.listing import show_listing
from unslant.core.docstrings import paragraphs_of
from unslant.core.errors import UnknownNameError
from unslant.core.expression import Call, canonical
from unslant.core.parameters import Parameter, parameters_of
from unslant.core.references import reference
from unslant.core.registry import Entry
from unslant.measures.registry import Declared, meaning, measure_from, metrics, probes
from unslant.methods.method import DEBIASERS, GUARANTEES
from unslant.models.debias_training.registry import TUNINGS, TuningFacts
from unslant.probes.abilities import ListsSets
from unslant.subspaces.estimator import ESTIMATORS, EstimatorFacts

Complete = Callable[[str], list[str]]


def _name(kind: str, complete: Complete) -> Any:
    return typer.Argument(
        help=f"A {kind}, for all about it.", show_default=False, autocompletion=complete
    )


def list_metrics(
    name: Annotated[str | None, _name("metric", complete_metrics)] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """List the metrics with their range, better direction and source, or describe one.

    Example: unslant list metrics weat
    """
    entries = _chosen("metric", metrics(), name)
    if as_json:
        shared.print_json([_metric_facts(entry) for entry in entries])
    elif name is not None:
        _describe(entries[0], *_scores(entries[0]))
    else:
        rows = [
            (e.name, _summary(e), e.traits["range"], e.traits["better"], e.cites) for e in entries
        ]
        _overview("metrics", ("metric", "measures", "range", "better", "source"), rows, (0, 4))


def list_probes(
    name: Annotated[str | None, _name("probe", complete_probes)] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """List the probes, or describe one with its scores and its bundled test sets.

    Example: unslant list probes nli
    """
    entries = _chosen("probe", probes(), name)
    if as_json:
        shared.print_json([_probe_facts(entry) for entry in entries])
    elif name is not None:
        _describe(entries[0], *_scores(entries[0]))
        if sets := _sets(entries[0]):
            rows = [(item["name"], f"{item['size']:,}", item["title"]) for item in sets]
            show_listing(("set", "size", "content"), rows, typed=(0, 1), main=2)
        shared.say(f"All options: unslant probe {entries[0].name} --help")
    else:
        rows = [(entry.name, _summary(entry), entry.cites) for entry in entries]
        _overview("probes", ("probe", "measures", "source"), rows, (0, 2))


def list_methods(
    name: Annotated[str | None, _name("method", complete_methods)] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """List the debiasing methods and their guarantees, or describe one.

    Example: unslant list methods hard
    """
    entries: Sequence[Entry[Any]] = _chosen("debiasing method", [*DEBIASERS, *TUNINGS], name)
    if as_json:
        shared.print_json([_method_facts(entry) for entry in entries])
    elif name is not None:
        claims = [f"{claim}: {GUARANTEES[claim]}" for claim in entries[0].traits["guarantees"]]
        _describe(entries[0], *_scope(entries[0]), after=claims)
    else:
        rows = []
        for entry in entries:
            promised = ", ".join(entry.traits["guarantees"]) or "none: it trains"
            acts_on = entry.traits["acts_on"]
            rows.append((entry.name, _summary(entry), acts_on, promised, entry.cites))
        head = ("method", "what it does", "acts on", "guarantees", "source")
        _overview("methods", head, rows, (0, 3, 4))


def list_directions(
    name: Annotated[str | None, _name("direction", complete_directions)] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """List the ways to estimate a bias direction or subspace, or describe one.

    Example: unslant list directions pair-pca
    """
    entries = _chosen("direction", ESTIMATORS, name)
    if as_json:
        shared.print_json([_direction_facts(entry) for entry in entries])
    elif name is not None:
        _describe(entries[0], *_misleads(entries[0].facts.misleads))
    else:
        rows = [(entry.name, _summary(entry), entry.cites) for entry in entries]
        _overview("directions", ("direction", "what it is", "source"), rows, (0, 2))


def _chosen(kind: str, known: Iterable[Entry[Any]], name: str | None) -> list[Entry[Any]]:
    """All entries, or the one that is named, in any case."""
    entries = list(known)
    if name is None:
        return entries
    by_name = {entry.name: entry for entry in entries}
    if canonical(name) not in by_name:
        raise UnknownNameError(kind, name, by_name)
    return [by_name[canonical(name)]]


def _overview(
    kind: str, head: Sequence[str], rows: Sequence[Sequence[str]], typed: Sequence[int]
) -> None:
    show_listing(head, rows, typed=typed, main=1)
    shared.say(f"All about one: unslant list {kind} NAME")


def _summary(entry: Entry[Any]) -> str:
    return entry.summary.replace("``", "`")


def _describe(entry: Entry[Any], *facts: str, after: Sequence[str] = ()) -> None:
    """Print one component: summary, formula, facts, parameters and examples."""
    shared.out.print(Text(entry.name, style="bold"))
    shared.out.print(Text(reference(entry.cites), style="dim"), Text(""), sep="\n")
    summary, *paragraphs = paragraphs_of(entry.component) or [""]
    shared.out.print(Text(summary), Text(""), sep="\n")
    if entry.formula:
        for line in entry.formula.splitlines():
            shared.out.print(Text(f"  {line}"), soft_wrap=True)
        shared.out.print(Text(""))
    for paragraph in paragraphs:
        shared.out.print(Text(paragraph), Text(""), sep="\n")
    for fact in dict.fromkeys(facts):
        shared.out.print(Text(fact))
    parameters = parameters_of(entry.component)
    if parameters:
        shared.out.print(Text("\nParameters:"))
    for line in (*map(parameter_line, parameters), *after):
        shared.out.print(Text(f"  {line}"))
    shared.out.print(Text(""))
    examples = commands(entry)
    for number, example in enumerate(examples, 1):
        shared.say(f"{'Example' if number == len(examples) else 'First'}: {example}")


def parameter_line(item: Parameter) -> str:
    """A parameter with its default, what it takes and what it is."""
    value = f'"{item.default}"' if isinstance(item.default, str) else str(item.default).lower()
    given = "…, which must be given" if item.is_required else value
    takes = f"  ({item})" if item.choices or item.limits or item.help else ""
    return f"{item.name} = {given}{takes}"


def _scores(entry: Entry[Declared]) -> Iterator[str]:
    for name, score in entry.facts.scores.items():
        about = f"{name}: " if len(entry.facts.scores) > 1 else ""
        yield f"{about}Range: {score.range}. Better: {score.better.text}."
        yield f"When it misleads: {score.misleads}"


def _misleads(text: str) -> Iterator[str]:
    if text:
        yield f"When it misleads: {text}"


def _scope(entry: Entry[Any]) -> Iterator[str]:
    """Where a method acts, and where it cannot."""
    facts = entry.facts
    if isinstance(facts, TuningFacts):
        where = " It acts at a place: NAME(text=FILE)@layer:-1." if facts.at_place else ""
        yield f"Trains {entry.traits['acts_on']}, and needs {facts.needs}.{where}"
        yield "It guarantees nothing: what it changed has to be measured."
    else:
        acts_on = facts.acts_on
        yield f"Acts on {acts_on.what}."
        if acts_on.only_places:
            yield f"On word vectors it {acts_on.because}."
        elif acts_on.because:
            where, why = "at a place in a language model", f"{entry.name} {acts_on.because}"
            yield f"It cannot act {where}: {why}. Use {acts_on.instead} there."
    yield from _misleads(facts.misleads)


def _metric_facts(entry: Entry[Declared]) -> dict[str, Any]:
    facts = {"name": entry.name, **asdict(meaning(entry.name)), "takes": entry.facts.takes}
    facts |= {"formula": entry.formula}
    del facts["drawn"]
    return facts


def _probe_facts(entry: Entry[Declared]) -> dict[str, Any]:
    scores = {
        name: {
            "range": str(score.range),
            "better": score.better.text,
            "about": score.tells,
            "misleads": score.misleads,
        }
        for name, score in entry.facts.scores.items()
    }
    return {
        "name": entry.name,
        "summary": entry.summary,
        "cites": entry.cites,
        "formula": entry.formula,
        "scores": scores,
        "sets": _sets(entry),
    }


def _sets(entry: Entry[Declared]) -> list[dict[str, Any]]:
    """The bundled test sets of a probe, if it has any."""
    if not issubclass(entry.component, ListsSets):
        return []
    probe: Any = measure_from(Call(entry.name))
    subjects = [(item.subject(), len(item)) for item in probe.sets()]
    return [
        {"name": item.name, "size": size, "title": item.title, "about": item.about}
        for item, size in subjects
    ]


def _method_facts(entry: Entry[Any]) -> dict[str, Any]:
    return {
        "name": entry.name,
        "summary": entry.summary,
        "cites": entry.cites,
        "reference": reference(entry.cites),
        "formula": entry.formula,
        **entry.traits,
        "misleads": entry.facts.misleads,
        "parameters": {
            item.name: None if item.is_required else item.default
            for item in parameters_of(entry.component)
        },
    }


def _direction_facts(entry: Entry[EstimatorFacts]) -> dict[str, str]:
    return {
        "name": entry.name,
        "cites": entry.cites,
        "summary": entry.summary,
        "formula": entry.formula,
        "misleads": entry.facts.misleads,
    }
