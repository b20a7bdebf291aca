"""Words as the rows that a model reads: looked up, or made from the word itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from unslant.vectors import WordVectors


@dataclass(frozen=True)
class Embedding:
    """The vectors under a model, all of one length.

    Debiasing methods leave vectors of different lengths (Hard Debias makes them 1, projections
    shorten them), and a model trained on one length fails on another; so each row is brought to
    the length √d / 2, which makes its numbers about ½. A word that the vectors lack gets a fixed
    vector of the same length, drawn from a hash of the word: the same word is the same vector
    everywhere, on every machine and under every debiasing. A zero vector stays zero.
    """

    vectors: WordVectors

    @property
    def length(self) -> float:
        """The length of every row."""
        return float(np.sqrt(self.vectors.dim)) / 2

    def rows(self, words: Sequence[str]) -> NDArray[np.float32]:
        """One row for each word."""
        places = self._places(words)
        rows = np.empty((len(words), self.vectors.dim), np.float32)
        there = places >= 0
        rows[there] = self.vectors.rows_at(places[there])
        for place in np.flatnonzero(~there).tolist():
            rows[place] = _hashed(words[place], self.vectors.dim)
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        np.divide(self.length, lengths, out=lengths, where=lengths > 0)
        rows *= lengths.astype(np.float32)
        return rows

    def missing(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words that get a vector made from their hash, in the order asked."""
        return tuple(words[place] for place in np.flatnonzero(self._places(words) < 0).tolist())

    def _places(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The row of each word in the vectors, in whatever case they have it; -1 for none."""
        found = self.vectors.lookup(words, case="any")
        rows = dict(zip(found.words, found.rows.tolist(), strict=True))
        return np.array([rows.get(word, -1) for word in words], dtype=np.int64)


def _hashed(word: str, dim: int) -> NDArray[np.float32]:
    seed = int.from_bytes(blake2b(word.encode(), digest_size=16).digest(), "little")
    return np.random.default_rng(seed).standard_normal(dim, dtype=np.float32)
