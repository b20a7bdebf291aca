"""The rows of a file of answers: a table (.csv) or an object in each line (.jsonl)."""

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.text_files import json_from, small_text

FORMATS = (".csv", ".jsonl")
_LARGEST_FILE = 2 << 30


def answer_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each row with the number of its line; what cannot be read is said at once."""
    if path.suffix not in FORMATS:
        raise UnslantError(f"{path}: a file of answers ends in {' or '.join(FORMATS)}.")
    try:
        text = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise UnslantError(f"The answers in {path} cannot be read: {error}.") from error
    return (_table if path.suffix == ".csv" else _objects)(text, path)


def _table(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise UnslantError(f"{path} line {reader.line_num:,} is not CSV: {error}.") from error


def _objects(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, item in enumerate(text.split("\n"), 1):
        if not item.strip():
            continue
        try:
            row = json_from(item)
        except ValueError as error:
            raise UnslantError(f"{path} line {line:,} is not JSON: {error}.") from error
        if not isinstance(row, dict):
            raise UnslantError(f"{path} line {line:,} is not a JSON object.")
        yield line, row
