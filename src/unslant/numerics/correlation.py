"""Correlation of a few observations, with its uncertainty: Pearson's r and Spearman's ρ.

A missing value (NaN) removes its observation from the pairs it belongs to, and each pair reports
how many are left. The interval is a BCa bootstrap over observations; the p-value comes from
permuting one side against the other: all n! orders up to 8 observations, otherwise 10,000 random
ones plus the data, p = (b + 1) / (m + 1). An undefined value has a reason and is never NaN.

Measured on normal data with 8 to 40 observations, 92 to 95 % of these intervals contain the true
r and 95 to 96 % the true ρ. Below 5 observations, and for a perfect correlation, there is none.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.numerics.bootstrap import RESAMPLES, Indices, bca_interval

# Spearman's rank correlation of many samples at once.
#
# Two ways: of any rows, which are sorted, and of resamples of one sample, whose ranks follow from
# how often each observation was drawn, so that nothing is sorted twice.


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


KINDS: tuple[Literal["pearson", "spearman"], ...] = ("pearson", "spearman")
EXACT_UP_TO = 8
PERMUTATIONS = 10_000
FEWEST = 3
FEWEST_FOR_INTERVAL = 5
_EQUAL = 1e-10  # orders whose correlation differs by less are equal up to rounding
_CONSTANT = 1e-12  # of the largest number: a smaller range is rounding


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """One coefficient over ``n`` observations; an undefined one has a reason instead."""

    n: int
    value: float | None = None
    why_undefined: str = ""
    low: float | None = None
    high: float | None = None
    p: float | None = None
    how: str = ""
    outcomes: int = 0


def correlation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    kind: str = "pearson",
    seed: int = 0,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    permuted: int = PERMUTATIONS,
) -> Correlation:
    """The correlation of two variables over the observations that have both.

    >>> found = correlation([1, 2, 3, 4, 5], [2, 4, 6, 8, 11])
    >>> round(found.value, 3), found.n, round(found.p, 4), found.how
    (0.996, 5, 0.0167, 'exact')
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}, not {kind!r}.")
    one, other = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    is_there = np.isfinite(one) & np.isfinite(other)
    one, other = one[is_there], other[is_there]
    n = len(one)
    if n < FEWEST:
        return Correlation(n=n, why_undefined=f"only {n} rows have both, and {FEWEST} are needed")
    one, other = (values / (np.abs(values).max() or 1.0) for values in (one, other))
    if min(np.ptp(one), np.ptp(other)) <= _CONSTANT:
        return Correlation(n=n, why_undefined="one of the two is constant")
    scores = [_ranks(values) if kind == "spearman" else values for values in (one, other)]
    a, b = (_unit(values) for values in scores)
    value = float(np.clip(a @ b, -1.0, 1.0))
    found = _with_p_value(Correlation(n=n, value=value), a, b, seed, permuted)
    if n < FEWEST_FOR_INTERVAL or abs(value) > 1 - _EQUAL:  # every resample would say ±1
        return found
    statistic = SpearmanOfSamples(one, other) if kind == "spearman" else _PearsonOfSamples(a, b)
    rng = generator(seed, "correlation", "bootstrap", str(n))
    with np.errstate(invalid="ignore", divide="ignore"):
        interval = bca_interval(statistic, [n], rng, level=level, resamples=resamples)
    if interval is None or interval.ends is None:
        return found
    low, high = interval.ends
    return replace(found, low=low, high=high)


class _PearsonOfSamples:
    """r of the observations that each row of numbers draws; NaN where one side is constant."""

    def __init__(self, x: Array, y: Array) -> None:
        self._x, self._y = x, y

    def __call__(self, samples: tuple[Indices, ...]) -> Array:
        x, y = self._x[samples[0]], self._y[samples[0]]
        is_defined = (np.ptp(x, axis=1) > _CONSTANT) & (np.ptp(y, axis=1) > _CONSTANT)
        x, y = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
        scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
        products = (x * y).sum(axis=1) / np.where(is_defined, scale, 1.0)
        return np.where(is_defined, np.clip(products, -1.0, 1.0), np.nan)


def _unit(values: Array) -> Array:
    """The values centred and scaled to length 1, so that a product of two is a correlation."""
    centred = values - values.mean()
    return np.asarray(centred / np.linalg.norm(centred))


def _ranks(values: Array) -> Array:
    return np.asarray(average_ranks(values[None])[0])


def _with_p_value(found: Correlation, a: Array, b: Array, seed: int, permuted: int) -> Correlation:
    """Add the share of permutations that correlate at least as strongly in either direction."""
    is_exact = found.n <= EXACT_UP_TO
    orders = _all_orders(found.n) if is_exact else _some_orders(found.n, seed, permuted)
    assert found.value is not None
    extreme = int((np.abs(a[orders] @ b) >= abs(found.value) - _EQUAL).sum())
    if is_exact:
        return replace(found, p=extreme / len(orders), how="exact", outcomes=len(orders))
    outcomes = permuted + 1
    return replace(found, p=(extreme + 1) / outcomes, how="monte carlo", outcomes=outcomes)


@lru_cache(maxsize=EXACT_UP_TO)
def _all_orders(n: int) -> NDArray[np.int64]:
    return np.array(list(permutations(range(n))), dtype=np.int64)


@lru_cache(maxsize=4)  # pairs with equally many observations share their orders
def _some_orders(n: int, seed: int, count: int) -> NDArray[np.int64]:
    rng = generator(seed, "correlation", "orders", str(n))
    return rng.permuted(np.tile(np.arange(n), (count, 1)), axis=1)
