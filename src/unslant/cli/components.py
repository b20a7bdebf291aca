"""Names, parameters and choices of components, for help texts and completion."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from typer.core import TyperCommand

from unslant.core.parameters import Parameter, parameters_of
from unslant.core.registry import Entry

Entries = Callable[[], Iterable[Entry[Any]]]


def command_with(entries: Entries, title: str) -> type[TyperCommand]:
    """A command whose help lists components, or shows the parameters of a named one."""

    class ComponentCommand(TyperCommand):
        """Looks for a component's name among the arguments before help is printed."""

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            names = {text.partition("(")[0].strip() for text in args if not text.startswith("-")}
            ctx.meta["components"] = names
            return super().parse_args(ctx, args)

        def get_help(self, ctx: Any) -> str:
            known = list(entries())
            named = [entry for entry in known if entry.name in ctx.meta.get("components", ())]
            about = help_of(named[0]) if named else _listed(known, title)
            return f"{super().get_help(ctx)}\n\n{about}"

    return ComponentCommand


def help_of(entry: Entry[Any]) -> str:
    """The help of one component, and its parameters with their defaults and limits."""
    rows = [
        (item.name, f"{item}{'' if item.is_required else f'  [default: {_default(item)}]'}")
        for item in parameters_of(entry.component)
    ]
    head = f"{entry.name}: {entry.summary.replace('``', '')}"
    return "\n".join([head, *(["Parameters:", *_columns(rows)] if rows else [])])


def completing(entries: Entries) -> Callable[[str], list[str]]:
    """Completes the name of a component, then its parameters and their choices.

    >>> from unslant.core.registry import Registry
    >>> completing(lambda: Registry("thing", "none"))("we")
    []
    """

    def complete(incomplete: str) -> list[str]:
        name, bracket, rest = incomplete.partition("(")
        if not bracket:
            return [entry.name for entry in entries() if entry.name.startswith(incomplete)]
        found = [entry for entry in entries() if entry.name == name.strip()]
        done, comma, last = rest.rpartition(",")
        start = f"{name}({done}{comma}"
        return [
            f"{start}{ending}"
            for entry in found
            for ending in _endings(parameters_of(entry.component), last.strip())
        ]

    return complete


def _endings(parameters: Sequence[Parameter], text: str) -> list[str]:
    key, sign, value = text.partition("=")
    if not sign:
        return [f"{item.name}=" for item in parameters if item.name.startswith(key)]
    choices = [str(choice) for item in parameters if item.name == key for choice in item.choices]
    return [f"{key}={choice}" for choice in choices if choice.startswith(value)]


def _listed(entries: Iterable[Entry[Any]], title: str) -> str:
    rows = [(entry.name, entry.summary.replace("``", "")) for entry in entries]
    return "\n".join([f"{title}:", *_columns(rows)])


def _columns(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max((len(name) for name, _ in rows), default=0)
    return [f"  {name:<{width}}  {text}" for name, text in rows]


def _default(parameter: Parameter) -> str:
    if isinstance(parameter.default, bool):
        return str(parameter.default).lower()
    return '""' if parameter.default == "" else str(parameter.default)
