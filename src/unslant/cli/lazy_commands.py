"""Commands that import their module on first use, to keep start-up fast."""

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.resources import files
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from unslant.cli.interrupts import leaving_at_once


class Lazy:
    """A command by its place, as ``module:function``, or a Typer with commands of its own."""

    def __init__(self, where: str, **settings: Any) -> None:
        self.module, _, self.attribute = where.partition(":")
        self.settings = settings

    def load(self, name: str) -> Any:
        """Import the command, under the name by which it is called."""
        with leaving_at_once():
            target = getattr(import_module(f"unslant.cli.{self.module}"), self.attribute)
        around = typer.Typer(rich_markup_mode=None)
        if isinstance(target, typer.Typer):
            around.add_typer(target, name=name, **self.settings)
        else:
            around.command(name, **self.settings)(target)
        return get_group(around).commands[name]

    @property
    def summary(self) -> str:
        """The first paragraph of the command's docstring, read without importing anything."""
        source = files("unslant.cli").joinpath(f"{self.module}.py").read_text(encoding="utf-8")
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef) and self._is_mine(node):
                return first_paragraph(ast.get_docstring(node))
        raise LookupError(f"unslant.cli.{self.module} does not define {self.attribute}.")

    def _is_mine(self, node: ast.FunctionDef) -> bool:
        """Whether a function is the command, or the callback of the Typer."""
        decorators = map(ast.unparse, node.decorator_list)
        callback = f"{self.attribute}.callback("
        return node.name == self.attribute or any(text.startswith(callback) for text in decorators)


class LazyGroup:
    """Commands under one name; ``bare`` is what runs if none of them is named."""

    def __init__(self, summary: str, commands: Mapping[str, Lazy], bare: str = "") -> None:
        self.summary, self.commands, self.bare = summary, commands, bare

    def load(self, name: str) -> Any:
        """The group; its commands are imported when they are called."""
        inner = typer.Typer(
            name=name,
            cls=group_of({"Commands": self.commands}),
            help=self.summary,
            no_args_is_help=not self.bare,
            invoke_without_command=bool(self.bare),
            rich_markup_mode=None,
        )
        if self.bare:
            module, _, attribute = self.bare.partition(":")
            with leaving_at_once():
                inner.callback()(getattr(import_module(f"unslant.cli.{module}"), attribute))
        else:
            inner.callback()(lambda: None)
        return get_group(inner)


Sections = Mapping[str, Mapping[str, Lazy | LazyGroup]]
"""Commands by name, under the headings of the help."""


class LazyCommands(Mapping[str, Any]):
    """Commands by name; a lookup imports one of them."""

    def __init__(self, known: Mapping[str, Lazy | LazyGroup]) -> None:
        self._known = known
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = self._known[name].load(name)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def group_of(sections: Sections) -> type[TyperGroup]:
    """A group of these commands, which its help lists under their headings."""
    known = {name: each for section in sections.values() for name, each in section.items()}

    class Group(TyperGroup):
        """Knows its commands by name only, until one is called."""

        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            self.commands = LazyCommands(known)  # type: ignore[assignment]

        def list_commands(self, ctx: Any) -> list[str]:
            return list(known)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            for heading, section in sections.items():
                with formatter.section(heading):
                    formatter.write_dl([(name, each.summary) for name, each in section.items()])

    return Group


def first_paragraph(text: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((text or "").partition("\n\n")[0].split())
