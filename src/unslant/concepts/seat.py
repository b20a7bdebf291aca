"""SEAT's released files as tests: their own sentences instead of those of the concept ``seat``."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from unslant.concepts.concept import AssociationTest
from unslant.concepts.read import concept
from unslant.concepts.wordlists import Source, WordList
from unslant.core.errors import DamagedFileError
from unslant.core.text_files import json_from, small_text

# SEAT's released files: one JSON object with four sets of sentences (May et al. 2019).

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


def seat_test(path: str | Path) -> AssociationTest:
    """The test in a released file such as ``sent-weat6.jsonl``.

    The files do not say which word each sentence is about. It is the word for which the concept
    ``seat`` makes the same sentence; a sentence that it does not make is its own group.
    """
    name = Path(path).stem.removeprefix("sent-weat")
    source = Source(key="may-2019", title=f"the file {Path(path).name}")
    t1, t2, a1, a2 = (_list(item, source) for item in read_seat(path))
    return AssociationTest(
        name=name,
        concept=Path(path).stem,
        title=f"{t1.name} and {t2.name} with {a1.name} and {a2.name} (released SEAT {name})",
        targets={t1.name: t1, t2.name: t2},
        attributes={a1.name: a1, a2.name: a2},
    )


def _list(item: SeatSet, source: Source) -> WordList:
    words: dict[str, list[str]] = {}
    for text in item.sentences:
        words.setdefault(_word_of().get(text, text), []).append(text)
    return WordList(
        name=item.category,
        source=source,
        words=tuple(words),
        sentences=tuple(tuple(texts) for texts in words.values()),
    )


@cache
def _word_of() -> Mapping[str, str]:
    return {
        text: word
        for test in concept("seat").tests.values()
        for item in (*test.targets.values(), *test.attributes.values())
        for word, texts in zip(item.words, item.sentences, strict=True)
        for text in texts
    }
