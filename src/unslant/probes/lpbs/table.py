"""Associations of targets with attributes, and what LPBS makes of them."""

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array
from unslant.numerics.bootstrap import Statistic

Sample = NDArray[np.int64]


class AssociationTable:
    """Targets × attributes, in five sets: two of targets, two of attributes, the neutral ones."""

    def __init__(self, table: Array, sizes: tuple[int, ...]) -> None:
        self.table, self.sizes = table, sizes
        self.starts = (0, sizes[0], 0, sizes[2], sizes[2] + sizes[3])

    @property
    def everything(self) -> tuple[Sample, ...]:
        """Each set as it is, as one sample."""
        return tuple(np.arange(size)[None] for size in self.sizes)

    def _places(self, group: int, sample: Sample) -> Sample:
        return np.asarray(sample + self.starts[group])

    def each(self) -> Array:
        """s(a) for every attribute."""
        split = self.sizes[0]
        return np.asarray(self.table[:split].mean(axis=0) - self.table[split:].mean(axis=0))

    def each_of(self, group: int) -> Array:
        """s(a) for the attributes of one set."""
        start = self.starts[group]
        return self.each()[start : start + self.sizes[group]]

    def _sampled(self, first: Sample, second: Sample, places: Sample) -> Array:
        """s(a), samples × attributes, for samples of targets and attributes."""
        one = self.table[self._places(0, first)].mean(axis=1)
        other = self.table[self._places(1, second)].mean(axis=1)
        return np.asarray(np.take_along_axis(one - other, places, axis=1))

    def effect(self, samples: tuple[Sample, ...]) -> Array:
        """The effect size of each sample of the two target and the two attribute sets."""
        first, second, a1, a2 = samples[:4]
        s1 = self._sampled(first, second, self._places(2, a1))
        s2 = self._sampled(first, second, self._places(3, a2))
        spread = np.concatenate([s1, s2], axis=1).std(axis=1, ddof=1)
        is_flat = spread <= 1e-12 * np.maximum(1, np.abs(s1).max(axis=1))
        difference = s1.mean(axis=1) - s2.mean(axis=1)
        none = np.full(len(s1), np.nan)
        return np.asarray(np.divide(difference, spread, out=none, where=~is_flat))

    def excess(self, number: int) -> Statistic:
        """The mean of s over one attribute set less that over the neutral ones, of samples."""

        def statistic(samples: tuple[Sample, ...]) -> Array:
            first, second, own, neutral = samples
            s = self._sampled(first, second, self._places(2 + number, own))
            n = self._sampled(first, second, self._places(4, neutral))
            return np.asarray(s.mean(axis=1) - n.mean(axis=1))

        return statistic
