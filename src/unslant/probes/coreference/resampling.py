"""Sums over resampled items: of pairs of sentences, or of the words that sentences are made of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unslant.core.seeds import generator
from unslant.core.types import Array, Numbers
from unslant.numerics.bootstrap import stratified_counts
from unslant.numerics.chunks import one_blas_thread

_AT_ONCE = 100
"""Resamples that are in memory at the same time."""


@dataclass(frozen=True, eq=False)
class Resampling:
    """How items are drawn again: ``factors`` has a column for each thing that is drawn.

    With one column of different numbers each item is drawn by itself. With several, the levels of
    each are drawn independently, and an item counts as often as the product of its levels (the
    pigeonhole bootstrap; Owen 2007). ``strata`` has a number for each level of each factor; levels
    are drawn within their stratum. ``key`` is the same for all that is resampled in the same way.
    """

    factors: Numbers
    strata: tuple[Numbers, ...]
    resamples: int
    seed: int
    key: str
    how: str

    def sums(self, columns: Array) -> Array:
        """For each resample the sum of each column over the drawn items: resamples × columns."""
        rng = generator(self.seed, "coreference", self.key)
        sums = np.empty((self.resamples, columns.shape[1]))
        with one_blas_thread():  # the same bits on any number of cores
            for begin in range(0, self.resamples, _AT_ONCE):
                size = min(_AT_ONCE, self.resamples - begin)
                weights = np.ones((size, len(columns)))
                for levels, strata in zip(self.factors.T, self.strata, strict=True):
                    weights *= stratified_counts(strata, size, rng)[:, levels]
                sums[begin : begin + size] = weights @ columns
        return sums

    @property
    def units(self) -> int:
        """The number of levels of the factor that has the fewest."""
        return min(map(len, self.strata))

    @property
    def draws_key(self) -> str:
        """What two measurements must share to be compared resample by resample."""
        return f"{self.key} {self.seed} {self.resamples}"


def of_items(strata: Numbers, *, resamples: int, seed: int, key: str, how: str) -> Resampling:
    """Each item is drawn by itself, within its stratum."""
    numbers = np.arange(len(strata), dtype=np.int64)[:, None]
    return Resampling(numbers, (strata,), resamples, seed, key, how)


def crossed(
    words: Sequence[Sequence[str]], *, resamples: int, seed: int, key: str, how: str
) -> Resampling:
    """Each item has a row of words, and the different words of each column are drawn again."""
    columns = [np.unique(column, return_inverse=True) for column in zip(*words, strict=True)]
    strata = tuple(np.zeros(len(names), dtype=np.int64) for names, _ in columns)
    factors = np.stack([levels for _, levels in columns], axis=1)
    return Resampling(factors, strata, resamples, seed, key, how)
