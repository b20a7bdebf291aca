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
from unslant.numerics.ranks import SpearmanOfSamples, average_ranks

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
    found = _tested(Correlation(n=n, value=value), a, b, seed, permuted)
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


def _tested(found: Correlation, a: Array, b: Array, seed: int, permuted: int) -> Correlation:
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
