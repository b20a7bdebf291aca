"""Groups of commands whose help says what each does in a whole sentence."""

from typing import Any

from typer.core import TyperGroup


class WholeHelp(TyperGroup):
    """Wraps what commands do instead of cutting it off at the end of a line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each command that is not hidden, with the first paragraph of its help."""
        known = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [
            (name, " ".join((command.help or "").partition("\n\n")[0].split()))
            for name, command in known
            if command is not None and not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
