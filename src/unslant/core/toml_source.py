"""TOML files that people write: values by their place, and errors that name the line."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from unslant.core.errors import UnslantError
from unslant.core.text_files import small_text, toml_from
from unslant.core.toml_lines import Place, lines_of

T = TypeVar("T")

LARGEST_FILE = 8 << 20
_SHOWN = 60

_EXPECTED: Mapping[type, str] = {
    str: 'a text, as in {key} = "…"',
    int: "a whole number, as in {key} = 1",
    list: "an array, as in {key} = [ … ]",
    dict: "a table",
}
_FOUND: Mapping[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "an array",
    dict: "a table",
}


@dataclass(frozen=True)
class Where:
    """A place in a TOML file, which prints as the file and the line: ``pets.toml line 12``.

    ``where / key`` is the place of what is in it. A table that has no text, such as one in a
    record, and a text whose lines are not known, print the keys instead of the line.

    >>> str(Where.of("pets.toml", "[words]\\ncats = [1]") / "words" / "cats")
    'pets.toml line 2'
    """

    name: str
    lines: Callable[[], Mapping[Place, int]] = dict
    place: Place = ()

    @classmethod
    def of(cls, name: str, text: str, table: Mapping[str, Any] | None = None) -> "Where":
        """The beginning of a text; invalid TOML is reported later."""

        @cache  # found only when something is wrong: a file that is right needs no lines
        def lines() -> Mapping[Place, int]:
            return lines_of(text, toml_from(text) if table is None else table)

        return cls(name, lines)

    def __truediv__(self, key: str | int) -> "Where":
        return replace(self, place=(*self.place, key))

    @property
    def key(self) -> str:
        """The key of this entry in its table."""
        return str(self.place[-1]) if self.place else self.name

    @property
    def line(self) -> int | None:
        """The line of the place, or of the table that should have it."""
        lines, place = self.lines(), self.place
        while place and place not in lines:
            place = place[:-1]
        return lines.get(place)

    def __str__(self) -> str:
        if (line := self.line) is not None:
            return f"{self.name} line {line}"
        keys = ".".join(str(key) for key in self.place)
        return f"{self.name} [{keys}]" if keys else self.name


class TomlSource:
    """The text of one file; errors name the line and are of type ``fault``."""

    def __init__(
        self, name: str, folder: Path, text: str, fault: type[UnslantError] = UnslantError
    ) -> None:
        self.name, self.folder, self.text, self.fault = name, folder, text, fault
        try:
            self.table = toml_from(text)
        except ValueError as error:
            raise fault(f"{name} is not valid TOML: {error}.") from error
        self.where = Where.of(name, text, self.table)

    def error(self, place: Place, message: str) -> UnslantError:
        """An error about something in the file, with its line."""
        return self.fault(f"{replace(self.where, place=place)}: {message}")

    def line(self, place: Place) -> int | None:
        """The line of something in the file, or of the table that should have it."""
        return replace(self.where, place=place).line

    def has(self, place: Place) -> bool:
        """Whether the file says anything there."""
        return self.value(place) is not None

    def get(self, place: Place, kind: type[T], default: T | None = None) -> T:
        """The value of one key; where it is absent, the default, or an error if there is none."""
        value = self.value(place)
        if value is None:
            if default is None:
                raise self.error(place, f'"{place[-1]}" is missing here.')
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            expected = _EXPECTED[kind].format(key=place[-1])
            raise self.error(place, f'"{place[-1]}" must be {expected}, not {_said(value)}.')
        return value

    def texts(self, place: Place) -> list[str]:
        """An array of texts, at least one, none of them twice."""
        return cast(list[str], self._array(place, str, '["…", "…"]'))

    def numbers(self, place: Place) -> list[int]:
        """An array of whole numbers, at least one, none of them twice."""
        return cast(list[int], self._array(place, int, "[0, 1, 2]"))

    def only(self, place: Place, keys: Iterable[str]) -> None:
        """Refuse keys of a table that mean nothing."""
        for key in self.get(place, dict) if place else self.table:
            if key not in keys:
                raise self.error((*place, key), unknown("key", key, keys))

    def path(self, text: str, place: Place) -> str:
        """A path in the file, which is relative to the file's folder, as an absolute one."""
        try:
            resolved = (self.folder / Path(text).expanduser()).resolve()
            with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                resolved.stat()  # says so if no file can have this name
        except (OSError, RuntimeError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error).removesuffix(".")
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            raise self.error(place, f'"{shown}" cannot be a path: {why}.') from error
        return str(resolved)

    def _array(self, place: Place, kind: type, example: str) -> list[object]:
        items = self.get(place, list)
        if not items:
            raise self.error(place, f'"{place[-1]}" is empty. Name some, or leave it out for all.')
        seen = set()
        for number, item in enumerate(items):
            here = (*place, number)
            if not isinstance(item, kind) or isinstance(item, bool):
                message = f'"{place[-1]}" must be an array as in {example}; it has {_said(item)}.'
                raise self.error(here, message)
            if item in seen:
                shown = f'"{item}"' if kind is str else str(item)
                raise self.error(here, f'"{place[-1]}" has {shown} twice.')
            seen.add(item)
        return items

    def value(self, place: Place) -> Any:
        """The value there, of any type; None if there is none."""
        value: Any = self.table
        for key in place:
            if isinstance(value, dict):
                value = value.get(key)
            else:
                value = value[key] if isinstance(value, list) and isinstance(key, int) else None
        return value


def read_toml(
    path: Path, what: str, fault: type[UnslantError], folder: Path | None = None
) -> TomlSource:
    """The file at ``path``, as far as it is TOML, with paths relative to ``folder``."""
    try:
        text = small_text(path, LARGEST_FILE)
    except ValueError as error:
        raise fault(f"{what} {path} cannot be read: {error}.") from error
    return TomlSource(str(path), (folder or path.parent).resolve(), text, fault)


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """An unknown-name error, with the closest known name or all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f'there is no {kind} "{name}". Did you mean "{close[0]}"?'
    there = f"There are: {', '.join(names)}." if names else "There is none."
    return f'there is no {kind} "{name}". {there}'


def _said(value: object) -> str:
    return _FOUND.get(type(value), "a date or time")
