"""Spearman's rank correlation of many samples at once.

Two ways: of any rows, which are sorted, and of resamples of one sample, whose ranks follow from
how often each observation was drawn, so that nothing is sorted twice.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array

Indices = NDArray[np.int64]


def average_ranks(rows: Array) -> Array:
    """The rank of each number in its row, from 1; equal numbers share the mean of their ranks."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    places = np.arange(rows.shape[1])
    is_first = np.ones(rows.shape, dtype=bool)
    is_first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(is_first, places, 0), axis=1)
    is_last = np.ones(rows.shape, dtype=bool)
    is_last[:, :-1] = is_first[:, 1:]
    last = np.where(is_last, places, rows.shape[1])[:, ::-1]
    last = np.minimum.accumulate(last, axis=1)[:, ::-1]
    ranks = np.empty_like(rows)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def rank_correlation(first: Array, second: Array) -> Array:
    """Spearman's correlation of each row of two matrices; NaN if a row is constant."""
    centred = []
    for rows in (first, second):
        ranks = average_ranks(rows)
        centred.append(ranks - ranks.mean(axis=1, keepdims=True))
    a, b = centred
    scale = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    is_defined = (scale > 0) & np.isfinite(first).all(axis=1) & np.isfinite(second).all(axis=1)
    products = (a * b).sum(axis=1)
    return np.where(is_defined, products / np.where(is_defined, scale, 1.0), np.nan)


@dataclass(frozen=True, eq=False)
class _Order:
    """The ascending order of a sample, and which observations are tied."""

    order: Indices
    starts: Indices
    group: Indices

    @classmethod
    def of(cls, values: Array) -> "_Order":
        order = np.argsort(values, kind="stable")
        ascending = values[order]
        is_new = np.concatenate([[True], ascending[1:] != ascending[:-1]])
        group = np.empty(len(values), dtype=np.int64)
        group[order] = np.cumsum(is_new) - 1
        return cls(order, np.flatnonzero(is_new), group)

    def ranks(self, counts: Array) -> Array:
        """The mean rank of each observation in samples that contain it ``counts`` times."""
        tied = np.add.reduceat(counts[:, self.order], self.starts, axis=1)
        middle = np.cumsum(tied, axis=1) - (tied - 1) / 2
        return np.asarray(middle[:, self.group])


class SpearmanOfSamples:
    """ρ of the observations (x, y) that each row of numbers draws; NaN if one side is constant.

    >>> import numpy as np
    >>> rho = SpearmanOfSamples(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 15.0]))
    >>> rho((np.array([[0, 1, 2], [0, 0, 1]]),)).tolist()
    [0.5, 1.0]
    """

    def __init__(self, x: Array, y: Array) -> None:
        self._x, self._y, self._size = _Order.of(x), _Order.of(y), len(x)

    def __call__(self, samples: tuple[Indices, ...]) -> Array:
        """One ρ for each row of the only group of samples."""
        [drawn] = samples
        counts = self._counts(drawn)
        # Mean ranks always average (n + 1) / 2, so only the products need summing.
        middle = (drawn.shape[1] + 1) / 2
        x, y = self._x.ranks(counts) - middle, self._y.ranks(counts) - middle
        weighted = counts * x
        spread = (weighted * x).sum(axis=1) * (counts * y * y).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((weighted * y).sum(axis=1) / np.sqrt(spread))

    def _counts(self, drawn: Indices) -> Array:
        shifted = drawn + np.arange(len(drawn))[:, None] * self._size
        counts = np.bincount(shifted.ravel(), minlength=len(drawn) * self._size)
        return counts.reshape(len(drawn), self._size).astype(np.float64)
