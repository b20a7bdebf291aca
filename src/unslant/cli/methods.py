"""``unslant methods``: every debiasing method, what it guarantees and where it comes from.

Methods that train a language model are listed with the others: they guarantee nothing.
"""

import inspect
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from unslant.cli import shared
from unslant.core.errors import UnknownNameError
from unslant.core.parameters import parameters_of
from unslant.core.references import reference
from unslant.core.registry import Entry
from unslant.methods import DEBIASERS, GUARANTEES
from unslant.methods.method import MethodFacts
from unslant.models.tuning import TUNINGS, TuningFacts

AnyEntry = Entry[MethodFacts] | Entry[TuningFacts]
_WEIGHTS = "the weights of a language model"


def run(
    name: Annotated[
        str | None, typer.Argument(help="One method, to read all about it.", show_default=False)
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
        shared.out.print(_overview(entries))
    else:
        _tell(entries[0])


def _named(name: str) -> AnyEntry:
    known: dict[str, AnyEntry] = {entry.name: entry for entry in DEBIASERS}
    known |= {entry.name: entry for entry in TUNINGS}
    if name not in known:
        raise UnknownNameError("debiasing method", name, known)
    return known[name]


def _facts(entry: AnyEntry) -> dict[str, Any]:
    facts = entry.facts
    own: dict[str, Any]
    if isinstance(facts, TuningFacts):
        own = {"guarantees": [], "acts_on": _WEIGHTS}
        own |= {"needs": facts.needs, "misleads": facts.misleads}
    else:
        own = {"guarantees": sorted(facts.guarantees), "acts_on": facts.acts_on.what}
    return {
        "name": entry.name,
        "summary": entry.summary,
        "cites": entry.cites,
        "reference": reference(entry.cites),
        **own,
        "parameters": {
            item.name: None if item.is_required else item.default
            for item in parameters_of(entry.component)
        },
    }


def _overview(entries: list[AnyEntry]) -> Table:
    table = Table("method", "what it does", "acts on", "guarantees", "source")
    for entry in entries:
        facts = _facts(entry)
        claims = ", ".join(facts["guarantees"]) or "none: it trains"
        summary = Text(entry.summary.replace("``", "`"))
        table.add_row(entry.name, summary, facts["acts_on"], claims, entry.cites)
    return table


def _tell(entry: AnyEntry) -> None:
    shared.out.print(Text(entry.name, style="bold"))
    shared.out.print(Text(reference(entry.cites), style="dim"), Text(""), sep="\n")
    for paragraph in (inspect.getdoc(entry.component) or "").split("\n\n"):
        shared.out.print(Text(" ".join(paragraph.split()).replace("``", "`")), Text(""), sep="\n")
    facts = entry.facts
    if isinstance(facts, TuningFacts):
        where = " It acts at a place: NAME(text=FILE)@layer:-1." if facts.at_place else ""
        shared.out.print(Text(f"Trains {_WEIGHTS}, and needs {facts.needs}.{where}"))
        shared.out.print(Text("It guarantees nothing: what it changed has to be measured."))
        shared.out.print(Text(f"When it misleads: {facts.misleads}"))
    else:
        _tell_where(entry.name, facts)
    shared.out.print(Text(""))
    for item in parameters_of(entry.component):
        value = f'"{item.default}"' if isinstance(item.default, str) else str(item.default).lower()
        given = "…, which must be given" if item.is_required else value
        takes = f"  ({item})" if item.choices or item.limits else ""
        shared.out.print(Text(f"  {item.name} = {given}{takes}"))
    for claim in _facts(entry)["guarantees"]:
        shared.out.print(Text(f"  {claim}: {GUARANTEES[claim]}"))


def _tell_where(name: str, facts: MethodFacts) -> None:
    acts_on = facts.acts_on
    shared.out.print(Text(f"Acts on {acts_on.what}."))
    if acts_on.only_places:
        shared.out.print(Text(f"On word vectors it {acts_on.because}."))
    elif acts_on.because:
        where, why = "at a place in a language model", f"{name} {acts_on.because}"
        shared.out.print(Text(f"It cannot act {where}: {why}. Use {acts_on.instead} there."))
