"""SEAT's released files as tests: their own sentences instead of those of the concept ``seat``."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from unslant.concepts.concept import AssociationTest
from unslant.concepts.read import concept
from unslant.concepts.wordlists import Source, WordList
from unslant.datasets.seat import SeatSet, read_seat


def seat_test(path: str | Path) -> AssociationTest:
    """The test in a released file such as ``sent-weat6.jsonl``.

    The files do not say which word each sentence is about. It is the word for which the concept
    ``seat`` makes the same sentence; a sentence that it does not make stands alone.
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
