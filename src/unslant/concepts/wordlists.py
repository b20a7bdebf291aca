"""Word lists from the literature, one file per publication, each list with its source."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from unslant.concepts.languages import weathub_code, weathub_lists, weathub_source
from unslant.core.errors import ConceptError, UnknownNameError

Cell = str | int | float


@dataclass(frozen=True, kw_only=True)
class Source:
    """The publication and licence of a list."""

    key: str
    authors: str = ""
    year: int | None = None
    title: str = ""
    venue: str = ""
    licence: str = ""
    version: str = ""

    def __str__(self) -> str:
        return f"{self.authors} ({self.year}). {self.title}. {self.venue}."


@dataclass(frozen=True, kw_only=True)
class WordList:
    """Words, or rows of words under named columns, with their source."""

    name: str
    source: Source
    words: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = field(default=(), repr=False)
    about: str = ""
    note: str = ""
    sentences: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    """The sentences that represent each word, if a test measures sentences."""

    def __len__(self) -> int:
        return len(self.rows) if self.columns else len(self.words)

    @property
    def all_words(self) -> tuple[str, ...]:
        """Every word in it, row by row; numbers are not words."""
        cells = (cell for row in self.rows for cell in row if isinstance(cell, str))
        return self.words or tuple(cells)

    def only(self, *columns: str) -> "WordList":
        """The table with some of its columns, in the given order."""
        places = [self._place(name) for name in columns]
        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return replace(self, columns=columns, rows=rows)

    def _place(self, name: str) -> int:
        if name not in self.columns:
            raise UnknownNameError(f"column of {self.name}", name, self.columns)
        return self.columns.index(name)

    def column(self, name: str) -> "WordList":
        """One column of a table as a list of words."""
        place = self._place(name)
        return WordList(
            name=f"{self.name}.{name}",
            source=self.source,
            words=tuple(str(row[place]) for row in self.rows),
            about=self.about,
            note=self.note,
        )


def wordlist(reference: str) -> WordList:
    """The bundled list called ``source/list``, or one column of it as ``source/list.column``.

    >>> wordlist("bolukbasi-2016/definitional-pairs.male").words[:3]
    ('man', 'boy', 'he')
    """
    key, slash, rest = reference.partition("/")
    if not slash:
        raise ConceptError(
            f'"{reference}" is not a reference to a list: write "source/list", for example '
            f'"dev-2020/occupations", or the words themselves as an array.'
        )
    lists = _lists_of(key)
    name, _, column = rest.partition(".")
    if name not in lists:
        raise UnknownNameError(f"word list of {key}", name, lists)
    return lists[name].column(column) if column else lists[name]


def bundled_lists() -> dict[str, WordList]:
    """Every bundled list of English words by its full name; WEATHub's are not among them."""
    return {item.name: item for key in source_keys() for item in _lists_of(key).values()}


def source_keys() -> list[str]:
    """The keys of all publications with bundled lists."""
    folder = files("unslant.concepts") / "data" / "lists"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir())


def list_from(name: str, entry: Mapping[str, Any], source: Source) -> WordList:
    """A list from its TOML table; the table has ``words``, or ``columns`` and ``rows``."""
    words, columns, rows = (entry.get(key, ()) for key in ("words", "columns", "rows"))
    sentences = _sentences_of(name, entry)
    unknown = set(entry) - {"words", "columns", "rows", "about", "note", "sentences"}
    if unknown or bool(words) == bool(rows) or bool(columns) != bool(rows):
        raise ConceptError(
            f'The list "{name}" must have either words, or columns and rows '
            f"(and optionally about and note). It has: {', '.join(sorted(entry))}."
        )
    for key in ("words", "columns", "rows"):
        if not isinstance(entry.get(key, []), list):
            raise ConceptError(f'"{key}" of the list "{name}" must be an array, as in ["…", "…"].')
    if not all(isinstance(column, str) and column for column in columns):
        raise ConceptError(f'A column of the list "{name}" has a name that is not a string.')
    if not all(isinstance(word, str) and word for word in words):
        raise ConceptError(f'The list "{name}" contains something that is not a word.')
    for number, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != len(columns):
            raise ConceptError(
                f'Row {number} of the list "{name}" should have {len(columns)} cells, one for '
                f"each of the columns {', '.join(map(str, columns))}."
            )
        if not all(isinstance(cell, str | int | float) for cell in row):
            raise ConceptError(
                f'Row {number} of the list "{name}" may contain only words and numbers.'
            )
    return WordList(
        name=name,
        source=source,
        words=tuple(words),
        columns=tuple(columns),
        rows=tuple(tuple(row) for row in rows),
        about=str(entry.get("about", "")),
        note=str(entry.get("note", "")),
        sentences=sentences,
    )


def _sentences_of(name: str, entry: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    given, words = entry.get("sentences", []), entry.get("words", [])
    is_right = isinstance(given, list) and all(
        isinstance(part, list) and part and all(isinstance(text, str) and text for text in part)
        for part in given
    )
    if not is_right or (given and len(given) != len(words)):
        raise ConceptError(
            f'"sentences" of the list "{name}" must have one array of sentences for each word.'
        )
    return tuple(tuple(part) for part in given)


@cache
def _lists_of(key: str) -> dict[str, WordList]:
    if code := weathub_code(key):
        source, entries = Source(**weathub_source()), weathub_lists(code)
    else:
        path = files("unslant.concepts") / "data" / "lists" / f"{key}.toml"
        if key not in source_keys():
            raise UnknownNameError("source of word lists", key, source_keys())
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        source, entries = Source(key=key, **content["source"]), content["lists"]
    return {name: list_from(f"{key}/{name}", entry, source) for name, entry in entries.items()}
