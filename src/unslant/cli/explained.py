"""All about one component: what it does, its formula, parameters, limits and source."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from unslant.cli import shared
from unslant.core.docstrings import paragraphs_of
from unslant.core.parameters import Parameter, parameters_of
from unslant.core.references import reference
from unslant.core.registry import Entry


def explain(
    entry: Entry[Any], *facts: str, examples: Sequence[str] = (), after: Sequence[str] = ()
) -> None:
    """Print one component; ``facts`` are sentences about it, ``after`` follow the parameters."""
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
    for fact in facts:
        shared.out.print(Text(fact))
    parameters = parameters_of(entry.component)
    if parameters:
        shared.out.print(Text("\nParameters:"))
    for item in parameters:
        shared.out.print(Text(f"  {parameter_line(item)}"))
    for line in after:
        shared.out.print(Text(f"  {line}"))
    if examples:
        shared.out.print(Text(""))
    for number, example in enumerate(examples, 1):
        shared.say(f"{'Example' if number == len(examples) else 'First'}: {example}")


def parameter_line(item: Parameter) -> str:
    """A parameter with its default, what it takes and what it is."""
    value = f'"{item.default}"' if isinstance(item.default, str) else str(item.default).lower()
    given = "…, which must be given" if item.is_required else value
    takes = f"  ({item})" if item.choices or item.limits or item.help else ""
    return f"{item.name} = {given}{takes}"
