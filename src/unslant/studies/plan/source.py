"""A plan's text and its values, taken out one by one with their types checked."""

import difflib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

from unslant.core.text_files import small_text, toml_from
from unslant.core.toml_lines import Place, lines_of
from unslant.studies.plan.cells import PlanError

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


class Source:
    """The text of one plan file; whatever is wrong with it is told with its line."""

    def __init__(self, name: str, folder: Path, text: str) -> None:
        self.name, self.folder, self.text = name, folder, text
        try:
            self.table = toml_from(text)
        except ValueError as error:
            raise PlanError(f"{name} is not valid TOML: {error}.") from error

    def error(self, place: Place, message: str) -> PlanError:
        """What is wrong with something in the plan, and on which line that stands."""
        line = self.line(place)
        if line is not None:
            return PlanError(f"{self.name} line {line}: {message}")
        table = f" [{place[0]}]" if place else ""
        return PlanError(f"{self.name}{table}: {message}")

    def line(self, place: Place) -> int | None:
        """The line of something in the plan, or of the table that should have it."""
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place)

    @cached_property
    def _lines(self) -> dict[Place, int]:
        # Found only when something is wrong: a plan that is right needs no lines.
        return lines_of(self.text, self.table)

    def has(self, place: Place) -> bool:
        """Whether the plan says anything there."""
        return self._at(place) is not None

    def get(self, place: Place, kind: type[T], default: T | None = None) -> T:
        """The value of one key; where it is absent, the default, or an error if there is none."""
        found = self._at(place)
        if found is None:
            if default is None:
                raise self.error(place, f'"{place[-1]}" is missing here.')
            return default
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            expected = _EXPECTED[kind].format(key=place[-1])
            raise self.error(place, f'"{place[-1]}" must be {expected}, not {_said(found)}.')
        return found

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
        """A path of the plan, which is relative to the plan's folder, as an absolute one."""
        try:
            found = (self.folder / Path(text).expanduser()).resolve()
            with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                found.stat()  # says so if no file can have this name
        except (OSError, RuntimeError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error).removesuffix(".")
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            raise self.error(place, f'"{shown}" cannot be a path: {why}.') from error
        return str(found)

    def _array(self, place: Place, kind: type, example: str) -> list[object]:
        found = self.get(place, list)
        if not found:
            raise self.error(place, f'"{place[-1]}" is empty. Name some, or leave it out for all.')
        seen = set()
        for number, item in enumerate(found):
            here = (*place, number)
            if not isinstance(item, kind) or isinstance(item, bool):
                message = f'"{place[-1]}" must be an array as in {example}; it has {_said(item)}.'
                raise self.error(here, message)
            if item in seen:
                shown = f'"{item}"' if kind is str else str(item)
                raise self.error(here, f'"{place[-1]}" has {shown} twice.')
            seen.add(item)
        return found

    def _at(self, place: Place) -> Any:
        value: Any = self.table
        for key in place:
            if isinstance(value, dict):
                value = value.get(key)
            else:
                value = value[key] if isinstance(value, list) and isinstance(key, int) else None
        return value


def read_source(path: Path, folder: Path | None = None) -> Source:
    """The plan file at ``path``, as far as it is TOML, with paths relative to ``folder``."""
    try:
        text = small_text(path, LARGEST_FILE)
    except ValueError as error:
        raise PlanError(f"The plan {path} cannot be read: {error}.") from error
    return Source(str(path), (folder or path.parent).resolve(), text)


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """That there is no such name, with the one that was probably meant, or all there are."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f'there is no {kind} "{name}". Did you mean "{close[0]}"?'
    there = f"There are: {', '.join(names)}." if names else "There is none."
    return f'there is no {kind} "{name}". {there}'


def _said(value: object) -> str:
    return _FOUND.get(type(value), "a date or time")
