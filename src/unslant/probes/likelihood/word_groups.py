"""Pairs that have the same words, and intervals that respect it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unslant.core.measurement import Draws, Interval
from unslant.core.types import Array
from unslant.metrics.uncertainty import over_pairs

Weighted = Callable[[Array], Array]
"""Takes samples × pairs, how often each pair is drawn, and gives one value for each sample."""
OVER = "groups of pairs with the same words"


@dataclass(frozen=True)
class WordGroups:
    """Which group each pair is in, and the two sides' words of each group."""

    numbers: NDArray[np.int64]
    words: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, changed: Sequence[tuple[str, str]]) -> "WordGroups":
        """The groups of pairs by their changed words, on whichever side these are."""
        known: dict[frozenset[str], int] = {}
        keys = [frozenset(text.casefold() for text in words) for words in changed]
        numbers = [known.setdefault(key, len(known)) for key in keys]
        return cls(np.array(numbers, dtype=np.int64), tuple(known))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def equal(self) -> Array:
        """What each pair counts if every group counts once."""
        return np.asarray(1 / np.bincount(self.numbers)[self.numbers])

    def chosen(self, is_chosen: NDArray[np.bool_]) -> "WordGroups":
        """The groups of some of the pairs."""
        kept, numbers = np.unique(self.numbers[is_chosen], return_inverse=True)
        return WordGroups(numbers, tuple(self.words[place] for place in kept.tolist()))

    def interval(
        self, statistic: Weighted, *, seed: int, purpose: Sequence[str]
    ) -> tuple[Interval | None, Draws | None]:
        """The BCa interval over groups, and the resamples.

        Groups are not independent either: "white" is compared with many words. The interval and the
        resamples are widened by the ratio of the standard error that counts every two groups with a
        common word (Aronow, Samii and Assenova 2015) to the one that does not.
        """
        number = len(self)

        def of_samples(samples: tuple[NDArray[np.int64], ...]) -> Array:
            [drawn] = samples
            rows = np.arange(len(drawn))[:, None] * number
            counts = np.bincount((drawn + rows).ravel(), minlength=len(drawn) * number)
            return statistic(counts.reshape(len(drawn), number)[:, self.numbers].astype(float))

        interval, draws, without = over_pairs(
            of_samples, [number], seed=seed, purpose=purpose, over=OVER
        )
        if draws is None:
            return None, None
        value = float(statistic(np.ones((1, len(self.numbers))))[0])
        factor = self._widening(without[0])
        draws = replace(draws, values=value + factor * (draws.values - value))
        if interval is None:
            return None, draws
        low, high = (value + factor * (end - value) for end in (interval.low, interval.high))
        how = f"BCa bootstrap over {OVER}, widened for groups with a common word"
        return replace(interval, low=low, high=high, how=how), draws

    def _widening(self, without: Array) -> float:
        influence = without.mean() - without
        by_word: dict[str, float] = {}
        for words, one in zip(self.words, influence.tolist(), strict=True):
            for word in words:
                by_word[word] = by_word.get(word, 0.0) + one
        alone = float((influence**2).sum())
        counted = np.array([len(words) - 1 for words in self.words])  # a group has its own words
        together = sum(one**2 for one in by_word.values()) - float((counted * influence**2).sum())
        return float(np.sqrt(max(1.0, together / alone))) if alone > 0 else 1.0
