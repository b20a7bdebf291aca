"""The words of an embedding, found without a Python dictionary.

A dictionary of 400,000 words takes 0.2 s to build on every load. Here the words remain one UTF-8
blob, and a sorted array of 64-bit hashes, stored with them, finds a word by bisection. Every
hit is compared with the word itself, so a colliding hash costs time, never a wrong answer.
"""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnknownNameError
from unslant.numerics.decimals import Ragged
from unslant.vectors.space import Found

Rows = NDArray[np.int64]

_MOST_REMEMBERED = 20_000
"""The same few words are looked up again and again, so the last ones are kept in a dictionary."""


class Vocabulary(Sequence[str]):
    """An immutable sequence of words with vectorised lookup.

    >>> words = Vocabulary.of(["the", "of", "New York"])
    >>> words[2], words.rows_of(["of", "nowhere"]).tolist()
    ('New York', [1, -1])
    """

    def __init__(
        self, packed: Ragged, index: tuple[NDArray[np.uint64], NDArray[np.uint32]] | None = None
    ) -> None:
        self.packed = packed
        self._stored_index = index
        self._remembered: dict[str, int] = {}

    @classmethod
    def of(cls, words: Sequence[str]) -> "Vocabulary":
        """Pack a sequence of strings."""
        return cls(Ragged.of([word.encode() for word in words]))

    @cached_property
    def sorted_hashes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Hashes in ascending order, and the row that each belongs to."""
        if self._stored_index is not None:
            return self._stored_index
        hashes = self.packed.hashes()
        order = np.argsort(hashes, kind="stable")
        return hashes[order], order.astype(np.uint32)

    def __len__(self) -> int:
        return len(self.packed)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> "Vocabulary": ...
    def __getitem__(self, row: int | slice) -> "str | Vocabulary":
        if isinstance(row, slice):
            return self.take(np.arange(len(self), dtype=np.int64)[row])
        position = row + len(self) if row < 0 else row
        if not 0 <= position < len(self):
            raise IndexError(f"There is no word {row:,}: the vocabulary has {len(self):,}.")
        return self.packed[position].decode()

    def __iter__(self) -> Iterator[str]:
        blob, start = self.packed.blob.tobytes(), 0
        for end in self.packed.ends.tolist():
            yield blob[start:end].decode()
            start = end

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and bool(self.rows_of([word])[0] >= 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return np.array_equal(self.packed.ends, other.packed.ends) and np.array_equal(
            self.packed.blob, other.packed.blob
        )

    def __hash__(self) -> int:
        return hash((len(self), self.packed.blob[:64].tobytes()))

    def __repr__(self) -> str:
        shown = ", ".join(repr(self[row]) for row in range(min(3, len(self))))
        return f"<{len(self):,} words: {shown}{', …' if len(self) > 3 else ''}>"

    def rows_of(self, words: Sequence[str]) -> Rows:
        """The row of each word, or -1 if it is missing."""
        if len(words) > _MOST_REMEMBERED:
            return self._found(words)
        known = self._remembered
        unknown = [word for word in dict.fromkeys(words) if word not in known]
        if len(known) + len(unknown) > _MOST_REMEMBERED:
            # A new dictionary, because another thread may be reading the old one.
            known = self._remembered = {}
            unknown = list(dict.fromkeys(words))
        if unknown:
            known.update(zip(unknown, self._found(unknown).tolist(), strict=True))
        return np.array([known[word] for word in words], dtype=np.int64)

    def _found(self, words: Sequence[str]) -> Rows:
        # Invalid text remains invalid, so that it equals no word.
        encoded = [word.encode(errors="surrogatepass") for word in words]
        return self._rows_of_packed(Ragged.of(encoded))

    def take(self, rows: Rows) -> "Vocabulary":
        """The words of the given rows."""
        return Vocabulary(self.packed.take(rows))

    def first_occurrences(self) -> Rows:
        """For each word, the row of its first occurrence: its own unless it is a repetition."""
        hashes, rows = self.sorted_hashes
        first = np.arange(len(self), dtype=np.int64)
        if len(self) < 2:
            return first
        repeated = np.flatnonzero(hashes[1:] == hashes[:-1]) + 1
        for position in repeated.tolist():
            word, earlier = self.packed[int(rows[position])], position - 1
            while earlier >= 0 and hashes[earlier] == hashes[position]:
                if self.packed[int(rows[earlier])] == word:
                    first[int(rows[position])] = first[int(rows[earlier])]
                    break
                earlier -= 1
        return first

    def _rows_of_packed(self, asked: Ragged) -> Rows:
        hashes, rows = self.sorted_hashes
        found = np.full(len(asked), -1, dtype=np.int64)
        if not len(self):
            return found
        wanted = asked.hashes()
        at = np.searchsorted(hashes, wanted)
        places = np.flatnonzero(hashes[np.minimum(at, len(self) - 1)] == wanted)
        candidates = rows[at[places]].astype(np.int64)
        agrees = self.packed.take(candidates).equals(asked.take(places))
        found[places[agrees]] = candidates[agrees]
        for place in places[~agrees].tolist():  # another word with the same hash comes first
            found[place] = self._search_run(int(at[place]), asked[place])
        return found

    def _search_run(self, position: int, word: bytes) -> int:
        hashes, rows = self.sorted_hashes
        run = hashes[position]
        while position < len(hashes) and hashes[position] == run:
            if self.packed[int(rows[position])] == word:
                return int(rows[position])
            position += 1
        return -1


# Find words under a declared case policy, and report missing ones.
#
# Nothing assumes that a word has case or is free of spaces. After the requested spelling
# come, in this order: the same text in Unicode's composed and decomposed forms (NFC, NFD), under
# every policy; several words joined by underscores, as vectors of phrases write them; and the
# other cases of the policy, each again in these forms. The spelling that was found is reported.

Form = Callable[[str], str]


def turkish_lower(word: str) -> str:
    """The word in lower case by the rules of Turkish: I is ı, and İ is i.

    >>> turkish_lower("IŞIK"), turkish_lower("İstanbul"), "İ".lower() == "i\u0307"
    ('ışık', 'istanbul', True)
    """
    return word.replace("İ", "i").replace("I\u0307", "i").replace("I", "ı").lower()


CASE_POLICIES: dict[str, tuple[Form, ...]] = {
    "exact": (),
    "lower": (str.lower, turkish_lower),
    "any": (str.lower, turkish_lower, str.title, str.upper),
}
"""After the exact form, the forms that each policy tries, in this order."""


def spellings(word: str, case: str) -> list[str]:
    """The spellings that count as a word, in the order in which they are tried.

    >>> spellings("Rosa Luxemburg", "lower")
    ['Rosa Luxemburg', 'Rosa_Luxemburg', 'rosa luxemburg', 'rosa_luxemburg']
    >>> spellings("女性", "any")
    ['女性']
    """
    forms = [word, *(form(word) for form in CASE_POLICIES[case])]
    if not word.isascii():
        forms = [form for text in forms for form in (text, *_equivalents(text))]
    if case != "exact" and " " in word:
        forms = [form for text in forms for form in (text, "_".join(text.split()))]
    return list(dict.fromkeys(forms))


def _equivalents(text: str) -> tuple[str, str]:
    """The same text in the composed and the decomposed form."""
    return unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)


@dataclass(frozen=True)
class FoundWords(Found):
    """Words that a vocabulary has, with the row of each."""

    rows: NDArray[np.int64]


def find(vocabulary: Vocabulary, words: Sequence[str], case: str) -> FoundWords:
    """Look up each word by its exact form, then by the other spellings that count."""
    if case not in CASE_POLICIES:
        raise UnknownNameError("case policy", case, CASE_POLICIES)
    rows = vocabulary.rows_of(words)
    forms = list(words)
    absent = np.flatnonzero(rows < 0).tolist()
    to_try = {number: spellings(words[number], case)[:0:-1] for number in absent}
    while absent := [number for number in absent if rows[number] < 0 and to_try[number]]:
        other = [to_try[number].pop() for number in absent]
        for number, spelling, row in zip(absent, other, vocabulary.rows_of(other), strict=True):
            if row >= 0:
                rows[number], forms[number] = row, spelling
    there = np.flatnonzero(rows >= 0).tolist()
    return FoundWords(
        words=tuple(words[number] for number in there),
        forms=tuple(forms[number] for number in there),
        rows=rows[there],
        missing=tuple(words[number] for number in np.flatnonzero(rows < 0).tolist()),
    )
