"""The gender-swapped twin of an inter-sentence item.

As in Dawkins (2023), the context and the sentences labelled stereotype and anti-stereotype are
swapped, and these two labels change places: a stereotype of one gender is an anti-stereotype of the
other. The unrelated sentence stays as it is, so that only the context before it differs.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from unslant.datasets.stereoset import Item, Sentence
from unslant.probes.stereoset.curation import Repair, repaired, text_of

UNCERTAIN, UNCHANGED = "ambiguous-swap", "nothing-swapped"
WHYS = {
    UNCERTAIN: "The gender swap is not certain of a word in the context or in a sentence.",
    UNCHANGED: "The gender swap finds nothing to change in the context.",
}


class SwappedWord(Protocol):
    """One word that the swap looked at."""

    @property
    def old(self) -> str:
        """The word as it was."""

    @property
    def status(self) -> str:
        """``certain``, ``ambiguous`` or ``untouched``."""


class Swapped(Protocol):
    """A text with the gender of its words swapped."""

    @property
    def text(self) -> str:
        """The text after swapping."""

    @property
    def words(self) -> Sequence[SwappedWord]:
        """The words that were looked at."""

    @property
    def is_certain(self) -> bool:
        """Whether no word is ambiguous."""

    @property
    def count(self) -> int:
        """How many words were changed."""


Swap = Callable[[str], Swapped]


@dataclass(frozen=True)
class Pair:
    """An item and its twin, whose labels say what they are after swapping."""

    item: Item
    twin: Item


@dataclass(frozen=True)
class NoTwin:
    """An item that has no twin, for a reason; ``words`` are the ambiguous ones."""

    item: Item
    reason: str
    words: tuple[str, ...] = ()


def twin_of(
    item: Item, swap: Swap, repairs: Sequence[Repair] = (), confirmed: str = ""
) -> Pair | NoTwin:
    """The item with its twin, or why it has none; ``repairs`` are for texts after swapping.

    A twin that the swap is not certain of is taken if it has been read and found right: if it has
    the hash ``confirmed``.
    """
    context, stereotype, anti = (
        swap(text) for text in (item.context, item.stereotype.text, item.anti.text)
    )
    if not context.count:
        return NoTwin(item, UNCHANGED)
    swapped = replace(
        item,
        context=context.text,
        stereotype=Sentence(item.stereotype.id, stereotype.text),
        anti=Sentence(item.anti.id, anti.text),
    )
    needed = [repair for repair in repairs if repair.old in text_of(swapped, repair.part)]
    swapped = repaired(swapped, needed)
    unclear = _ambiguous((context, stereotype, anti))
    if unclear and text_hash(swapped) != confirmed:
        return NoTwin(item, UNCERTAIN, unclear)
    return Pair(item, replace(swapped, stereotype=swapped.anti, anti=swapped.stereotype))


def text_hash(swapped: Item) -> str:
    """A hash of the swapped texts, before labels change places."""
    texts = (swapped.context, swapped.stereotype.text, swapped.anti.text)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def _ambiguous(texts: Iterable[Swapped]) -> tuple[str, ...]:
    found = [
        word.old
        for text in texts
        if not text.is_certain
        for word in text.words
        if word.status == "ambiguous"
    ]
    return tuple(dict.fromkeys(found))
