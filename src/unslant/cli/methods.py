"""``unslant methods``: every debiasing method, what it guarantees and where it comes from."""

import inspect
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from unslant.cli import shared
from unslant.core.parameters import parameters_of
from unslant.core.references import reference
from unslant.core.registry import Entry
from unslant.methods import DEBIASERS, GUARANTEES
from unslant.methods.method import MethodFacts


def run(
    name: Annotated[
        str | None, typer.Argument(help="One method, to read all about it.", show_default=False)
    ] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """List the debiasing methods, or tell all about one.

    Example: unslant methods hard
    """
    entries = list(DEBIASERS) if name is None else [DEBIASERS.entry(name)]
    if as_json:
        shared.print_json([_facts(entry) for entry in entries])
    elif name is None:
        shared.out.print(_overview(entries))
    else:
        _tell(entries[0])


def _facts(entry: Entry[MethodFacts]) -> dict[str, Any]:
    return {
        "name": entry.name,
        "summary": entry.summary,
        "cites": entry.cites,
        "reference": reference(entry.cites),
        "guarantees": sorted(entry.facts.guarantees),
        "acts_on": entry.facts.acts_on.what,
        "parameters": {item.name: item.default for item in parameters_of(entry.component)},
    }


def _overview(entries: list[Entry[MethodFacts]]) -> Table:
    table = Table("method", "what it does", "acts on", "guarantees", "source")
    for entry in entries:
        claims = ", ".join(sorted(entry.facts.guarantees))
        summary, acts_on = Text(entry.summary.replace("``", "`")), entry.facts.acts_on.what
        table.add_row(entry.name, summary, acts_on, claims, entry.cites)
    return table


def _tell(entry: Entry[MethodFacts]) -> None:
    shared.out.print(Text(entry.name, style="bold"))
    shared.out.print(Text(reference(entry.cites), style="dim"), Text(""), sep="\n")
    for paragraph in (inspect.getdoc(entry.component) or "").split("\n\n"):
        shared.out.print(Text(" ".join(paragraph.split()).replace("``", "`")), Text(""), sep="\n")
    acts_on = entry.facts.acts_on
    shared.out.print(Text(f"Acts on {acts_on.what}."))
    if acts_on.only_places:
        shared.out.print(Text(f"On word vectors it {acts_on.because}."))
    elif acts_on.because:
        where, why = "at a place in a language model", f"{entry.name} {acts_on.because}"
        shared.out.print(Text(f"It cannot act {where}: {why}. Use {acts_on.instead} there."))
    shared.out.print(Text(""))
    for item in parameters_of(entry.component):
        value = f'"{item.default}"' if isinstance(item.default, str) else str(item.default).lower()
        takes = f"  ({item})" if item.choices or item.limits else ""
        shared.out.print(Text(f"  {item.name} = {value}{takes}"))
    for claim in sorted(entry.facts.guarantees):
        shared.out.print(Text(f"  {claim}: {GUARANTEES[claim]}"))
