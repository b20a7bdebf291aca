"""All about one component: what it does, its formula, parameters, limits and source."""

import inspect
from collections.abc import Sequence
from typing import Any

from rich.text import Text

from unslant.cli import shared
from unslant.core.parameters import Parameter, parameters_of
from unslant.core.references import reference
from unslant.core.registry import Entry


def explain(entry: Entry[Any], *facts: str, example: str = "", after: Sequence[str] = ()) -> None:
    """Print one component; ``facts`` are sentences about it, ``after`` follow the parameters."""
    shared.out.print(Text(entry.name, style="bold"))
    shared.out.print(Text(reference(entry.cites), style="dim"), Text(""), sep="\n")
    for paragraph in paragraphs(entry.component):
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
    if example:
        shared.out.print(Text(""))
        shared.say(f"Example: {example}")


def paragraphs(component: Any) -> list[str]:
    """The paragraphs of a docstring, without the examples for Python."""
    texts = (inspect.getdoc(component) or "").split("\n\n")
    plain = [" ".join(text.split()).replace("``", "`") for text in texts]
    return [text for text in plain if text and not text.startswith(">>>")]


def parameter_line(item: Parameter) -> str:
    """A parameter with its default, what it takes and what it is."""
    value = f'"{item.default}"' if isinstance(item.default, str) else str(item.default).lower()
    given = "…, which must be given" if item.is_required else value
    takes = f"  ({item})" if item.choices or item.limits or item.help else ""
    return f"{item.name} = {given}{takes}"
