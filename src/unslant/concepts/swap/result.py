"""What a swap gives: the text, and every group word that was found in it."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["certain", "ambiguous", "untouched"]


@dataclass(frozen=True)
class SwappedWord:
    """A group word of a text, from ``start`` to ``end``, and what took its place.

    ``certain``: the counterpart is known. ``ambiguous``: ``new`` is the best guess, which may be
    the word itself. ``untouched``: the word is left as it is, because here it does not stand for
    a group. ``reason`` says why a word is not certain.
    """

    start: int
    end: int
    old: str
    new: str
    status: Status
    reason: str = ""

    @property
    def is_changed(self) -> bool:
        """Whether another word took its place."""
        return self.old != self.new


@dataclass(frozen=True)
class Swapped:
    """A swapped text with every group word that was found, in order.

    ``start`` and ``end`` of the words are places in the original text.
    """

    text: str
    words: tuple[SwappedWord, ...]

    @property
    def is_certain(self) -> bool:
        """Whether no word is ambiguous. Swapped again, such a text is the original."""
        return all(word.status != "ambiguous" for word in self.words)

    @property
    def count(self) -> int:
        """How many words were changed; 0 if nothing was swapped."""
        return sum(word.is_changed for word in self.words)


@dataclass(frozen=True)
class SwappedTokens:
    """Swapped tokens, as many as were given, and the status of each; None for other words."""

    tokens: tuple[str, ...]
    statuses: tuple[Status | None, ...]

    @property
    def is_certain(self) -> bool:
        """Whether no token is ambiguous."""
        return "ambiguous" not in self.statuses
