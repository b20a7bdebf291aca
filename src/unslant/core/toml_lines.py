"""The line number of each key, table and element of a TOML text.

``tomllib`` parses a text without line numbers. This module scans the same text again, only for the
positions; its result is used only if it matches that of ``tomllib`` exactly, so that a line number
is either correct or absent.
"""

import json
import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from unslant.core.errors import UnslantError

Place = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_NAME = re.compile(r"[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_SCALAR = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|[^\s,\]}#][^,\]}#\n]*",
    re.DOTALL,
)


class _Lost(Exception):  # noqa: N818 - it never leaves this file
    """The text is not what this scanner expects."""


def lines_of(text: str, table: Mapping[str, Any]) -> dict[Place, int]:
    """The line, counted from 1, of everything in ``table``, which ``text`` was parsed to.

    A place is the sequence of keys that leads there, with numbers for array elements. If the scan
    fails, there are no lines.

    >>> text = "[a]\\nb = [\\n  1,\\n]"
    >>> lines_of(text, tomllib.loads(text))
    {('a',): 1, ('a', 'b'): 2, ('a', 'b', 0): 3}
    """
    try:
        lines = _Scanner(text.replace("\r\n", "\n")).run()
    except (_Lost, IndexError, RecursionError, tomllib.TOMLDecodeError):
        return {}
    return lines if lines.keys() == set(_places(table)) else {}


def _places(value: object, place: Place = ()) -> Iterator[Place]:
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, inner in items:
        yield (*place, key)
        yield from _places(inner, (*place, key))


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.ends = [match.start() for match in re.finditer("\n", text)]
        self.lines: dict[Place, int] = {}
        self.counts: dict[Place, int] = {}  # of the tables of each array of tables

    def run(self) -> dict[Place, int]:
        within: Place = ()
        self._skip(_BLANK)
        while self.position < len(self.text):
            begin = self.position
            if self.text.startswith("[", begin):
                within = self._header(begin)
            else:
                self._pair(within)
            self._skip(_BLANK)
        return self.lines

    def _header(self, begin: int) -> Place:
        is_array = self.text.startswith("[[", begin)
        self.position += 2 if is_array else 1
        *outer, last = self._keys()
        self._expect("]]" if is_array else "]")
        place: Place = ()
        for key in outer:
            place = (*place, key)
            self._note(place, begin)
            if place in self.counts:
                place = (*place, self.counts[place] - 1)
        place = (*place, last)
        self._note(place, begin)
        if is_array:
            number = self.counts.get(place, 0)
            self.counts[place] = number + 1
            place = (*place, number)
            self._note(place, begin)
        return place

    def _pair(self, within: Place) -> None:
        begin = self.position
        place = within
        for key in self._keys():
            place = (*place, key)
            self._note(place, begin)
        self._expect("=")
        self._skip(_SPACE)
        self._value(place)

    def _value(self, place: Place) -> None:
        opening = self.text[self.position]
        if opening == "[":
            self._array(place)
        elif opening == "{":
            self._inline(place)
        else:
            self._take(_SCALAR)

    def _array(self, place: Place) -> None:
        self._expect("[")
        number = 0
        while self._next() != "]":
            self._note((*place, number), self.position)
            self._value((*place, number))
            number += 1
            if self._next() == ",":
                self.position += 1
        self.position += 1

    def _inline(self, place: Place) -> None:
        self._expect("{")
        while self._next() != "}":
            self._pair(place)
            if self._next() == ",":
                self.position += 1
        self.position += 1

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._skip(_SPACE)
            name = self._take(_NAME)
            # A quoted key is read by tomllib, which knows every escape.
            keys.append(tomllib.loads(f"key = {name}")["key"] if name[0] in "\"'" else name)
            self._skip(_SPACE)
            if not self.text.startswith(".", self.position):
                return keys
            self.position += 1

    def _next(self) -> str:
        self._skip(_BLANK)
        return self.text[self.position]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.position)
        assert match is not None, "both patterns match nothing too"
        self.position = match.end()

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.position)
        if match is None:
            raise _Lost
        self.position = match.end()
        return match[0]

    def _expect(self, mark: str) -> None:
        if not self.text.startswith(mark, self.position):
            raise _Lost
        self.position += len(mark)

    def _note(self, place: Place, position: int) -> None:
        self.lines.setdefault(place, bisect_right(self.ends, position - 1) + 1)


# Plain values as TOML.


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
