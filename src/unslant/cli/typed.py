"""The command that was typed, as a line that a shell runs again."""

import shlex
from importlib import import_module
from typing import Any

import typer

_LEFT_OUT = frozenset(
    (
        "output",
        "html",
        "record",
        "record_file",
        "save_eraser",
        "format_name",
        "overwrite",
        "as_json",
    )
)
"""Parameters that say what becomes of the result, not what it is."""


def typed_command() -> str:
    """The current command as typed, without its output files."""
    context = _context()
    names = []
    around = context
    while around.parent is not None:
        names.append(str(around.info_name))
        around = around.parent
    return " ".join(["unslant", *reversed(names), *map(quoted, _words(context))])


def _context() -> Any:
    # Newer versions of typer have a click of their own, so it is found through typer.
    package = typer.Context.__mro__[1].__module__.rpartition(".")[0]
    return import_module(f"{package}.globals").get_current_context()


def _words(context: Any) -> list[str]:
    """The arguments, then the options; arguments that begin with a hyphen after two of them."""
    arguments: list[str] = []
    options: list[str] = []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name)
        is_typed = source is not None and source.name == "COMMANDLINE"
        if not is_typed or parameter.name in _LEFT_OUT:
            continue
        value = context.params[parameter.name]
        values = value if isinstance(value, list | tuple) else [value]
        if parameter.param_type_name == "argument":
            arguments += [str(each) for each in values]
        elif isinstance(value, bool):
            options.append(_flag(parameter.opts if value else parameter.secondary_opts))
        else:
            options += [word for each in values for word in (_flag(parameter.opts), str(each))]
    if any(word.startswith("-") for word in arguments):
        return [*options, "--", *arguments]
    return [*arguments, *options]


def _flag(names: list[str]) -> str:
    return next((name for name in names if name.startswith("--")), names[0])


def quoted(word: str) -> str:
    r"""A word as a shell reads it, in one line of signs that can be seen.

    >>> print(quoted("a b"), quoted("two\nlines, it's"))
    'a b' $'two\nlines, it\'s'
    """
    if word.isprintable():
        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + "".join(sign if sign.isprintable() else _escape(sign) for sign in escaped) + "'"


def _escape(sign: str) -> str:
    if sign == "\n":
        return "\\n"
    return "".join(f"\\x{byte:02x}" for byte in sign.encode("utf-8", "surrogateescape"))
