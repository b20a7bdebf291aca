"""Commands whose modules are imported when they are asked for, so that each starts soon."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.main import get_group

from unslant.cli.interrupts import leaving_at_once
from unslant.cli.whole_help import WholeHelp
from unslant.core.manifest import manifest


class LateCommand:
    """Where a command is: a function, or a Typer with commands of its own, as ``module:name``."""

    def __init__(self, where: str, **settings: Any) -> None:
        self.where = where
        self.settings = settings

    def loaded(self, name: str) -> Any:
        """The command, under the name by which it is called."""
        module, _, attribute = self.where.partition(":")
        with leaving_at_once():
            found = getattr(import_module(f"unslant.cli.{module}"), attribute)
        around = typer.Typer(rich_markup_mode=None)
        if isinstance(found, typer.Typer):
            around.add_typer(found, name=name, **self.settings)
        else:
            around.command(name, **self.settings)(found)
        return get_group(around).commands[name]


class LateCommands(Mapping[str, Any]):
    """Commands by name; a lookup imports one of them."""

    def __init__(self, known: Mapping[str, LateCommand]) -> None:
        self._known = known
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = self._known[name].loaded(name)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def group_of(known: Mapping[str, LateCommand]) -> type[WholeHelp]:
    """A group of these commands."""

    class LateGroup(WholeHelp):
        """Has its commands by name only, until one is called."""

        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            self.commands = LateCommands(known)  # type: ignore[assignment]

        def list_commands(self, ctx: Any) -> list[str]:
            return list(known)

        def summaries(self, ctx: Any) -> Iterator[tuple[str, str]]:
            """From the manifest, so that help imports no command."""
            listed = manifest()["commands"]
            for name, command in known.items():
                if not command.settings.get("hidden"):
                    yield name, listed[command.where]

    return LateGroup
