"""Steps of an eraser: a map for every vector, or new vectors for certain words."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.erasers.transform import Array, Frozen, Rows, Transform
from unslant.vectors import Vocabulary

Work = Callable[[Rows, slice, Rows | None], Rows]
"""Transforms a block of rows, given its position in the vocabulary and its destination."""


@dataclass(frozen=True, eq=False)
class EachVector:
    """A transform of every vector except those of the words in ``spared``."""

    transform: Transform
    spared: tuple[str, ...] = ()

    @property
    def dims(self) -> tuple[int | None, int | None]:
        """The input and output widths."""
        return self.transform.dims

    def work(self, words: Vocabulary | None) -> Work:
        """What to do with blocks of these words; without words, every row is transformed."""
        is_spared: NDArray[np.bool_] | None = None
        if words is not None and self.spared:
            rows = words.rows_of(self.spared)
            is_spared = np.zeros(len(words), dtype=bool)
            is_spared[rows[rows >= 0]] = True

        def done(block: Rows, place: slice, out: Rows | None) -> Rows:
            after = self.transform.apply(block, out)
            if self.transform.moves_zero:
                suspects = np.flatnonzero(block[:, 0] == 0)  # only these few are checked completely
                after[suspects[~block[suspects].any(axis=1)]] = 0
            if is_spared is not None:
                here = is_spared[place]
                if here.any():
                    after[here] = block[here]
            return after

        return done


@dataclass(frozen=True, eq=False)
class TheseWords(Frozen):
    """New vectors for certain words; all others are unchanged."""

    words: tuple[str, ...]
    vectors: Array

    @property
    def dims(self) -> tuple[int, int]:
        """The width does not change."""
        return self.vectors.shape[1], self.vectors.shape[1]

    def work(self, words: Vocabulary | None) -> Work:
        """What to do with blocks of these words; without words there is nothing to do."""
        if words is None:
            return lambda block, place, out: _put(block, out)
        rows = words.rows_of(self.words)
        order = np.argsort(rows, kind="stable")
        order = order[rows[order] >= 0]
        rows = rows[order]

        def done(block: Rows, place: slice, out: Rows | None) -> Rows:
            first, last = np.searchsorted(rows, (place.start, place.stop))
            if first == last:
                return _put(block, out)
            after = block.copy() if out is None else _put(block, out)
            after[rows[first:last] - place.start] = self.vectors[order[first:last]]
            return after

        return done


def _put(block: Rows, out: Rows | None) -> Rows:
    if out is None:
        return block
    out[...] = block
    return out


Step = EachVector | TheseWords
