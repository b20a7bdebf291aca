"""Plain values as TOML."""

import json
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from unslant.core.errors import UnslantError


def toml_text(table: Mapping[str, Any]) -> str:
    """A table as TOML: values first, then tables, then arrays of tables.

    >>> print(toml_text({"name": "mine", "methods": {"hard, then misp": "hard | misp"}}), end="")
    "name" = "mine"
    <BLANKLINE>
    ["methods"]
    "hard, then misp" = "hard | misp"
    """
    lines: list[str] = []
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    arrays = {key: value for key, value in table.items() if _is_tables(value)}
    for key, value in table.items():
        if key not in tables and key not in arrays and value is not None:
            lines.append(f"{_text(str(key))} = {inline(value)}")
    for key, value in tables.items():
        lines += ["", f"[{_text(str(key))}]"]
        lines += [f"{_text(str(name))} = {inline(part)}" for name, part in value.items()]
    for key, values in arrays.items():
        for item in values:
            lines += ["", f"[[{_text(str(key))}]]"]
            lines += [f"{_text(str(name))} = {inline(part)}" for name, part in item.items()]
    return "\n".join(lines) + "\n"


def inline(value: Any) -> str:
    """One value on one line; paths are texts."""
    if isinstance(value, Mapping):
        parts = (f"{_text(str(key))} = {inline(part)}" for key, part in value.items())
        return "{ " + ", ".join(parts) + " }"
    if isinstance(value, str | PathLike):
        return _text(str(fspath(value)))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(inline(part) for part in value) + "]"
    raise UnslantError(
        f"A plan has texts, numbers, lists and tables, not {type(value).__name__}. Vectors are "
        f"named by the path of their file; save them first with us.save."
    )


def _is_tables(value: object) -> bool:
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return is_list and bool(value) and all(isinstance(item, Mapping) for item in value)  # type: ignore[attr-defined]


def _text(text: str) -> str:
    """A text in double quotes; JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
