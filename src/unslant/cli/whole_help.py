"""Groups of commands whose help says what each does in a whole sentence."""

from collections.abc import Iterator
from typing import Any

from typer.core import TyperGroup


class WholeHelp(TyperGroup):
    """Wraps what commands do instead of cutting it off at the end of a line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each command that is not hidden, with the first paragraph of its help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries(ctx)))

    def summaries(self, ctx: Any) -> Iterator[tuple[str, str]]:
        """The name of each command that is not hidden, with what it does."""
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                yield name, summary_of_help(command)


def summary_of_help(command: Any) -> str:
    """The first paragraph of a command's help as one line."""
    return " ".join((command.help or "").partition("\n\n")[0].split())
