"""The words and signs of a text, with their places."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

_TOKEN = re.compile(
    r"[^\W\d_]+(?:['’‐-][^\W\d_]+)*"  # a word, with hyphens or apostrophes inside
    r"|['’](?:s|ll|d|ve|re|m)\b"  # the end of a word that a tokeniser has cut off
    r"|\d+(?:[.,]\d+)*"
    r"|--+|\.\.+"
    r"|\S",
    re.IGNORECASE,
)
_CLITIC = re.compile(r"^(.+)(['’](?:s|ll|d|ve|re))$", re.IGNORECASE)
_SENTENCE_SIGNS = frozenset(".!?:\"“”‘`'([{*…—")


@dataclass(frozen=True)
class Token:
    """A word or sign of a text."""

    start: int
    end: int
    text: str

    @property
    def lower(self) -> str:
        """In small letters, with a plain apostrophe."""
        return self.text.lower().replace("’", "'")

    @property
    def is_word(self) -> bool:
        """Whether it begins with a letter."""
        return self.text[0].isalpha()


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text, in order.

    >>> [token.text for token in tokens_of("Her ex-husband's here--isn't he?")]
    ['Her', "ex-husband's", 'here', '--', "isn't", 'he', '?']
    """
    return [Token(found.start(), found.end(), found.group()) for found in _TOKEN.finditer(text)]


def without_clitic(word: str) -> tuple[str, str]:
    """A word without, and the end with, what is contracted with it or makes it possessive.

    >>> without_clitic("she’ll"), without_clitic("ma'am")
    (('she', '’ll'), ("ma'am", ''))
    """
    match = _CLITIC.match(word)
    return (match[1], match[2]) if match else (word, "")


@dataclass(frozen=True)
class TokenPlace:
    """A token with its neighbours."""

    tokens: Sequence[Token]
    index: int
    text: str

    @property
    def token(self) -> Token:
        """The token itself."""
        return self.tokens[self.index]

    def at(self, distance: int) -> Token | None:
        """The token at an offset; None beyond the ends."""
        place = self.index + distance
        return self.tokens[place] if 0 <= place < len(self.tokens) else None

    def lower(self, distance: int) -> str:
        """That token in small letters and without a clitic; empty beyond the ends."""
        token = self.at(distance)
        return without_clitic(token.lower)[0] if token else ""

    def is_capitalised(self, distance: int) -> bool:
        """Whether the word at an offset begins with a capital."""
        token = self.at(distance)
        return token is not None and token.is_word and token.text[0].isupper()

    def touches(self, distance: int) -> bool:
        """Whether no space separates this token from its neighbour on one side (-1 or 1)."""
        other = self.at(distance)
        if other is None:
            return False
        return other.end == self.token.start if distance < 0 else self.token.end == other.start

    @property
    def begins_sentence(self) -> bool:
        """Whether a capital here says nothing, as after a full stop or a quotation mark."""
        before = self.at(-1)
        if before is None or before.text in _SENTENCE_SIGNS or before.text[:2] in ("--", ".."):
            return True
        return "\n\n" in self.text[before.end : self.token.start]


# The result of a swap: the text, and every group word found in it.

Status = Literal["certain", "ambiguous", "untouched"]


@dataclass(frozen=True)
class SwappedWord:
    """A group word of a text, from ``start`` to ``end``, and what took its place.

    ``certain``: the counterpart is known. ``ambiguous``: ``new`` is the best guess, which may be
    the word itself. ``untouched``: the word is left unchanged, because here it does not refer to
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
