"""The words of an embedding, found without a Python dictionary.

A dictionary of 400,000 words takes 0.2 s to build on every load. Here the words remain one UTF-8
blob, and a sorted array of 64-bit hashes, stored with them, finds a word by bisection. Every
hit is compared with the word itself, so a colliding hash costs time, never a wrong answer.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from unslant.numerics.ragged import Ragged

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
        asked = [word.encode(errors="surrogatepass") for word in words]
        return self._rows_of_packed(Ragged.of(asked))

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
