"""A preference corrected for the preference for the same words in control sentences.

dᵢ is the log-odds of a pair (stereotyped less anti-stereotyped) and cᵢₖ the log-odds of its control
k. Bleached sentences move a model more or less than real ones do, so the two are put on one scale
by regression: d = a + b c + noise. The slope is corrected for the error of c̄ᵢ, the mean over a
pair's controls, which the spread of the cᵢₖ shows (Fuller 1987); otherwise it would be too small
and part of the preference for frequent words would be left. A visible word may move every scored
word of a long sentence, or only its neighbours, so c̄ᵢ is first multiplied by the γ-th power of the
number of scored words, relative to the controls, with γ = 0, ½ or 1, whichever explains d best.
The controlled log-odds are

    eᵢ = dᵢ − b c̄ᵢ

The excess is the share of pairs with eᵢ > 0, ties counted as ½, less ½, and the effect is the mean
of eᵢ over its standard deviation. Both are 0 for a model that prefers words wherever they are, and
neither depends on how noisy the controls are.

Pairs with the same words are not independent observations: a model that prefers one word in
some kinds of sentences does so in all of them. Each group of such pairs therefore counts once (in
CrowS-Pairs "black" and "white" would otherwise be a tenth of the result), and whole groups are
resampled, with the slope refitted in each resample.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unslant.core.measurement import Draws, Interval
from unslant.core.types import Array
from unslant.metrics.uncertainty import over_pairs

# Pairs that have the same words, and intervals that respect it.

Weighted = Callable[[Array], Array]
"""Takes samples × pairs, how often each pair is drawn, and returns one value per sample."""
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
        """The weight of each pair if every group counts once."""
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


_LEAST_RELIABLE = 0.5
"""Controls that are mostly noise would blow the slope up; the correction at most doubles it."""
_POWERS = (0.0, 0.5, 1.0)
_ROUNDING = 1e-12


@dataclass(frozen=True)
class ControlledContrasts:
    """Log-odds of pairs and of their controls (pairs × controls), and which pairs share words."""

    differences: Array
    controls: Array
    groups: WordGroups

    @classmethod
    def scaled(
        cls, differences: Array, controls: Array, groups: WordGroups, lengths: Array
    ) -> "ControlledContrasts":
        """With the controls multiplied by the power of ``lengths`` that explains most."""
        tried = [
            cls(differences, controls * (lengths**power)[:, None], groups) for power in _POWERS
        ]
        return max(tried, key=lambda one: one.explained)

    @property
    def explained(self) -> float:
        """The share of the variance of d that the regression on the mean controls explains."""
        mean, weights = self.controls.mean(axis=1), self.groups.equal / self.groups.equal.sum()
        gaps = [values - weights @ values for values in (self.differences, mean)]
        both, one, other = (float(weights @ (a * b)) for a, b in (gaps, gaps[:1] * 2, gaps[1:] * 2))
        return both**2 / (one * other) if one > 0 and other > 0 else 0.0

    def fitted(self, weights: Array) -> tuple[Array, Array]:
        """The slope b and the reliability of the mean controls, for each row of weights."""
        weights = weights * self.groups.equal
        mean = self.controls.mean(axis=1)
        total = weights.sum(axis=1)
        by_d, by_c = (weights @ values / total for values in (self.differences, mean))
        spread = weights @ mean**2 / total - by_c**2
        both = weights @ (self.differences * mean) / total - by_d * by_c
        count = self.controls.shape[1]
        error = self.controls.var(axis=1, ddof=1) / count if count > 1 else np.zeros(len(mean))
        is_flat = spread <= _ROUNDING * np.maximum(1, by_c**2)
        safe = np.where(is_flat, 1, spread)
        reliability = np.clip(1 - (weights @ error / total) / safe, _LEAST_RELIABLE, 1)
        return np.where(is_flat, 1.0, both / (safe * reliability)), reliability

    def controlled(self, slope: Array) -> Array:
        """eᵢ for each slope: slopes × pairs."""
        return np.asarray(self.differences - slope[:, None] * self.controls.mean(axis=1))

    def excess(self, chosen: NDArray[np.bool_] | None = None) -> Weighted:
        """The share of chosen pairs with a positive eᵢ less ½, in points of 100."""

        def statistic(weights: Array) -> Array:
            own = weights * (self.groups.equal if chosen is None else self.groups.equal * chosen)
            signs = np.sign(self.controlled(self.fitted(weights)[0]))
            return 50 * _ratio((own * signs).sum(axis=1), own.sum(axis=1))

        return statistic

    def effect(self) -> Weighted:
        """The mean of eᵢ over its standard deviation."""

        def statistic(weights: Array) -> Array:
            each = self.controlled(self.fitted(weights)[0])
            own = weights * self.groups.equal
            mean = (own * each).sum(axis=1) / own.sum(axis=1)
            variance = (own * each**2).sum(axis=1) / own.sum(axis=1) - mean**2
            return _ratio(mean, np.sqrt(np.maximum(variance, 0)))

        return statistic


def share(differences: Array, chosen: NDArray[np.bool_] | None = None) -> Weighted:
    """The percentage of chosen pairs with a positive difference; ties count as ½."""
    return mean_of(50 + 50 * np.sign(differences), chosen)


def mean_of(values: Array, chosen: NDArray[np.bool_] | None = None) -> Weighted:
    """The mean of the chosen pairs' values."""

    def statistic(weights: Array) -> Array:
        own = weights if chosen is None else weights * chosen
        return _ratio(own @ values, own.sum(axis=1))

    return statistic


def value_of(statistic: Weighted, size: int) -> float:
    """The statistic of all pairs; NaN if it has none."""
    return float(statistic(np.ones((1, size)))[0])


def _ratio(above: Array, below: Array) -> Array:
    return np.asarray(np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0))
