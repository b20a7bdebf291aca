"""``unslant methods``: every debiasing method, what it guarantees and where it comes from.

Methods that train a language model are listed with the others: they guarantee nothing.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from unslant.cli import shared
from unslant.cli.completion import methods
from unslant.cli.examples import commands
from unslant.cli.explained import explain
from unslant.cli.listing import show_listing
from unslant.core.errors import UnknownNameError
from unslant.core.parameters import parameters_of
from unslant.core.references import reference
from unslant.core.registry import Entry
from unslant.methods.method import DEBIASERS, GUARANTEES, MethodFacts
from unslant.models.debias_training.registry import TUNINGS, TuningFacts

AnyEntry = Entry[MethodFacts] | Entry[TuningFacts]


def run(
    name: Annotated[
        str | None,
        typer.Argument(
            help="One method, to read all about it.", show_default=False, autocompletion=methods
        ),
    ] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """List the debiasing methods, or tell all about one.

    Example: unslant methods hard
    """
    if name is None:
        entries: list[AnyEntry] = [*DEBIASERS, *TUNINGS]
    else:
        entries = [_named(name)]
    if as_json:
        shared.print_json([_facts(entry) for entry in entries])
    elif name is None:
        _overview(entries)
    else:
        _tell(entries[0])


def _named(name: str) -> AnyEntry:
    known: dict[str, AnyEntry] = {entry.name: entry for entry in [*DEBIASERS, *TUNINGS]}
    if name not in known:
        raise UnknownNameError("debiasing method", name, known)
    return known[name]


def _facts(entry: AnyEntry) -> dict[str, Any]:
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


def _overview(entries: list[AnyEntry]) -> None:
    rows = []
    for entry in entries:
        claims = ", ".join(entry.traits["guarantees"]) or "none: it trains"
        summary = entry.summary.replace("``", "`")
        rows.append((entry.name, summary, entry.traits["acts_on"], claims, entry.cites))
    head = ("method", "what it does", "acts on", "guarantees", "source")
    show_listing(head, rows, typed=(0, 3, 4), main=1)
    shared.out.print("All about one: unslant methods NAME")


def _tell(entry: AnyEntry) -> None:
    facts = entry.facts
    if isinstance(facts, TuningFacts):
        where = " It acts at a place: NAME(text=FILE)@layer:-1." if facts.at_place else ""
        said = [
            f"Trains {entry.traits['acts_on']}, and needs {facts.needs}.{where}",
            "It guarantees nothing: what it changed has to be measured.",
        ]
    else:
        said = list(_where(entry.name, facts))
    if facts.misleads:
        said.append(f"When it misleads: {facts.misleads}")
    claims = [f"{claim}: {GUARANTEES[claim]}" for claim in entry.traits["guarantees"]]
    explain(entry, *said, after=claims, examples=commands(entry))


def _where(name: str, facts: MethodFacts) -> Iterator[str]:
    acts_on = facts.acts_on
    yield f"Acts on {acts_on.what}."
    if acts_on.only_places:
        yield f"On word vectors it {acts_on.because}."
    elif acts_on.because:
        where, why = "at a place in a language model", f"{name} {acts_on.because}"
        yield f"It cannot act {where}: {why}. Use {acts_on.instead} there."
