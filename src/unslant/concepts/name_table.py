"""Names with the groups that they suggest: gender, race, and the crossing of both."""

import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from unslant.concepts.wordlists import Source as Published
from unslant.concepts.wordlists import bundled_lists, list_from, wordlist
from unslant.core.errors import ConceptError, UnknownNameError
from unslant.core.text_files import small_text, toml_from

DUTTA = "dutta/aceat-names"
"""40 names, ten of each combination of gender and race (Dutta 2019)."""

CROSSED = " × "
_LARGEST_FILE = 8 << 20


@dataclass(frozen=True)
class NameTable:
    """Names, and for each the value of every attribute, such as female and European."""

    title: str
    attributes: tuple[str, ...]
    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.names)

    def groups(self, by: str) -> dict[str, tuple[str, ...]]:
        """The names of each group by one attribute, or by several crossed; groups by name.

        >>> table = name_table("dutta/aceat-names")
        >>> {group: len(names) for group, names in table.groups("gender").items()}
        {'female': 20, 'male': 20}
        >>> list(table.groups("gender × race"))[:2]
        ['female × African-American', 'female × European']
        """
        places = [self._place(attribute) for attribute in crossed(by)]
        by_key: dict[tuple[str, ...], list[str]] = {}
        for name, values in zip(self.names, self.values, strict=True):
            by_key.setdefault(tuple(values[place] for place in places), []).append(name)
        return {CROSSED.join(group): tuple(by_key[group]) for group in sorted(by_key)}

    def _place(self, attribute: str) -> int:
        if attribute not in self.attributes:
            raise UnknownNameError(f"attribute of {self.title}", attribute, self.attributes)
        return self.attributes.index(attribute)

    @property
    def content_hash(self) -> str:
        """A hash of the names and their values."""
        rows = (self.attributes, *zip(self.names, self.values, strict=True))
        return hashlib.sha256(repr(rows).encode()).hexdigest()


def crossed(by: str) -> tuple[str, ...]:
    """The attributes in ``gender × race``; an x or an asterisk with spaces around it is as good.

    >>> crossed("gender x race"), crossed("race")
    (('gender', 'race'), ('race',))
    """
    words = by.replace("×", " × ").split()
    parts = " ".join("×" if word in ("x", "X", "*") else word for word in words).split("×")
    return tuple(part.strip().lower() for part in parts)


def name_table(given: "str | Path | NameTable") -> NameTable:
    """A bundled table of names, or your own: a CSV, or a TOML file with ``columns`` and ``rows``.

    The first column has the names; every other column is an attribute, and its head the name of
    the attribute.
    """
    if isinstance(given, NameTable):
        return given
    path = Path(given)
    if not path.is_file():
        if path.suffix.lower() not in (".csv", ".toml"):
            return _bundled(str(given))
        raise ConceptError(f"There is no file {path}. Expected a table of names with their groups.")
    try:
        text = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise ConceptError(f"{path} cannot be read: {error}.") from error
    return _from_toml(path, text) if path.suffix.lower() == ".toml" else _from_csv(path, text)


def _bundled(reference: str) -> NameTable:
    tables = [key for key, item in bundled_lists().items() if item.columns[:1] == ("name",)]
    if reference not in tables:
        raise UnknownNameError("file or bundled table of names", reference, tables)
    names = wordlist(reference)
    return _table(reference, names.columns, ((reference, row) for row in names.rows))


def _from_toml(path: Path, text: str) -> NameTable:
    try:
        content = toml_from(text)
    except ValueError as error:
        raise ConceptError(f"{path} is not TOML: {error}.") from error
    names = list_from(path.name, content, Published(key=path.stem))
    rows = ((f"{path} row {number}", row) for number, row in enumerate(names.rows, 1))
    return _table(path.name, names.columns, rows)


def _from_csv(path: Path, text: str) -> NameTable:
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        head = next(lines, [])
        rows = [(f"{path} line {lines.line_num:,}", row) for row in lines if any(row)]
    except csv.Error as error:
        raise ConceptError(f"{path} line {lines.line_num:,} is not CSV: {error}.") from error
    return _table(path.name, head, rows)


def _table(
    title: str, head: Sequence[str], rows: Iterable[tuple[str, Sequence[object]]]
) -> NameTable:
    attributes = tuple(column.strip().lower() for column in head[1:])
    if not attributes or not all(attributes) or len(set(attributes)) < len(attributes):
        raise ConceptError(
            f"{title}: expected a first line with the name of each column: the names first, then "
            f"one column for each attribute, as in name,gender,race."
        )
    found: dict[str, tuple[str, ...]] = {}
    for where, row in rows:
        cells = [" ".join(str(cell).split()) for cell in row]
        if len(cells) != len(head) or not all(cells):
            raise ConceptError(
                f"{where}: expected a name and a value for {', '.join(attributes)}. Found "
                f"{', '.join(cells)[:60]!r}."
            )
        if cells[0] in found:
            raise ConceptError(f'{where}: the name "{cells[0]}" is in the table twice.')
        found[cells[0]] = tuple(cells[1:])
    if not found:
        raise ConceptError(f"{title} contains no names.")
    return NameTable(title, attributes, tuple(found), tuple(found.values()))
