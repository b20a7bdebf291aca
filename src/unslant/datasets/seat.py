"""SEAT's released files: one JSON object with four sets of sentences (May et al. 2019)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError
from unslant.core.text_files import json_from, small_text

_LARGEST = 8 << 20
_KEYS = ("targ1", "targ2", "attr1", "attr2")


@dataclass(frozen=True)
class SeatSet:
    """One set of a test: what it is called, and its sentences in their order."""

    category: str
    sentences: tuple[str, ...]


def read_seat(path: str | Path) -> tuple[SeatSet, SeatSet, SeatSet, SeatSet]:
    """The two target and two attribute sets in a file such as ``sent-weat6.jsonl``."""
    path = Path(path)
    try:
        table = json_from(small_text(path, _LARGEST))
    except ValueError as error:
        raise DamagedFileError(f"{path} is not a SEAT file: {error}.") from error
    if not isinstance(table, dict) or any(key not in table for key in _KEYS):
        raise DamagedFileError(
            f"{path} is not a SEAT file: expected one JSON object with {', '.join(_KEYS)}."
        )
    t1, t2, a1, a2 = (_set(table[key], key, path) for key in _KEYS)
    return t1, t2, a1, a2


def _set(value: Any, key: str, path: Path) -> SeatSet:
    examples = value.get("examples") if isinstance(value, dict) else None
    if (
        not isinstance(examples, list)
        or not examples
        or not all(isinstance(text, str) and text.strip() for text in examples)
        or not isinstance(value.get("category"), str)
    ):
        raise DamagedFileError(
            f'{path}: "{key}" must have a "category" and "examples", an array of sentences.'
        )
    return SeatSet(value["category"], tuple(examples))
