"""Fillers as bags of words: how they are attended to, and what their words sum to."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.models.nli.layers import Floats, Words
from unslant.numerics.group_attention import log_total_and_weights

Places = NDArray[np.int64]
Totals = NDArray[np.float64]


@dataclass(frozen=True)
class Fillers:
    """``of`` has the words of each filler: places in the distinct ``words``, -1 is padding."""

    words: Places
    of: Places

    @classmethod
    def of_side(cls, fillers: Sequence[tuple[int, ...]]) -> "Fillers":
        """The fillers of one side of a tile, each given as places in the table of words."""
        words = list(dict.fromkeys(word for filler in fillers for word in filler))
        order = {word: place for place, word in enumerate(words)}
        of = np.full((len(fillers), max(map(len, fillers))), -1, dtype=np.int64)
        for row, filler in zip(of, fillers, strict=True):
            row[: len(filler)] = [order[word] for word in filler]
        return cls(np.array(words, dtype=np.int64), of)

    def seen_from(self, attend: Totals, words: Words) -> tuple[Totals, Floats]:
        """The log total and the mean of each filler, for each row of ``attend``.

        The means are rows × fillers × hidden, or 1 × fillers × hidden where they do not depend on
        who looks: a filler of one word is that word.
        """
        scores = (attend @ words.attend[self.words].T)[:, self.of]
        log_totals, weights = log_total_and_weights(np.where(self.of >= 0, scores, -np.inf))
        aligned = words.aligned[self.words[self.of]]
        if self.of.shape[1] == 1:
            return log_totals, aligned.transpose(1, 0, 2)
        return log_totals, (weights.transpose(1, 0, 2) @ aligned).transpose(1, 0, 2)

    def summed(self, found: Floats, axis: int) -> Floats:
        """What was found for each distinct word, summed over the words of each filler."""
        if self.of.shape[1] == 1 and np.array_equal(self.of[:, 0], np.arange(len(self.words))):
            return found
        by_word = np.moveaxis(found, axis, 0)
        sums = np.zeros((len(self.of), *by_word.shape[1:]), np.float32)
        for of in self.of.T:
            has_one = of >= 0
            sums[has_one] += by_word[of[has_one]]
        return np.moveaxis(sums, 0, axis)
