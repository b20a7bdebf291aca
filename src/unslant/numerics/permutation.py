"""Permutation tests for the difference of two group means.

Under the null hypothesis every split of the pooled scores into groups of these sizes is equally
likely. Few splits are all looked at; many are sampled without replacement, and the data count as
one of the outcomes, p = (b + 1) / (m + 1) (Phipson and Smyth 2010), so that p is never 0.
"""

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EXACT_UP_TO = 200_000
ALTERNATIVES = ("two-sided", "greater", "less")
_BATCH = 10_000


@dataclass(frozen=True)
class PermutationTest:
    """The p-value of a difference of means, how it was found and out of how many splits."""

    p_value: float
    how: str
    outcomes: int


def permutation_test(
    first: Array,
    second: Array,
    rng: np.random.Generator,
    *,
    alternative: str = "two-sided",
    resamples: int = 100_000,
) -> PermutationTest:
    """Test whether ``mean(first) - mean(second)`` is larger than a random split would give.

    Splits that equal the data but for rounding count as at least as extreme.
    """
    if alternative not in ALTERNATIVES:
        raise ValueError(f"alternative must be one of {ALTERNATIVES}, not {alternative!r}.")
    pooled = np.concatenate([first, second])
    size, total = len(first), len(pooled)
    observed = float(first.mean() - second.mean())
    tolerance = 1e-12 * max(float(np.abs(pooled).max()), abs(observed))
    splits = comb(total, size)
    if splits <= EXACT_UP_TO:
        sums = subset_sums(pooled, size)
        extreme = _count_extreme(sums, pooled, size, observed, alternative, tolerance)
        return PermutationTest(extreme / splits, "exact", splits)
    extreme = 0
    for done in range(0, resamples, _BATCH):
        order = rng.random((min(_BATCH, resamples - done), total)).argpartition(size, axis=1)
        sums = pooled[order[:, :size]].sum(axis=1)
        extreme += _count_extreme(sums, pooled, size, observed, alternative, tolerance)
    return PermutationTest((extreme + 1) / (resamples + 1), "monte carlo", resamples + 1)


def subset_sums(values: Array, size: int) -> Array:
    """The sum of every subset of the given size, built up one value at a time.

    >>> sorted(subset_sums(np.array([1.0, 2.0, 4.0]), 2).tolist())
    [3.0, 5.0, 6.0]
    """
    by_size: list[Array] = [np.zeros(1)] + [np.zeros(0) for _ in range(size)]
    for number, value in enumerate(values.tolist()):
        left = len(values) - number - 1
        for count in range(min(size, number + 1), 0, -1):
            if count + left >= size:  # smaller subsets can no longer become large enough
                by_size[count] = np.concatenate([by_size[count], by_size[count - 1] + value])
    return by_size[size]


def _count_extreme(
    sums: Array, pooled: Array, size: int, observed: float, alternative: str, tolerance: float
) -> int:
    differences = sums / size - (pooled.sum() - sums) / (len(pooled) - size)
    if alternative == "two-sided":
        return int((np.abs(differences) >= abs(observed) - tolerance).sum())
    sign = 1.0 if alternative == "greater" else -1.0
    return int((sign * differences >= sign * observed - tolerance).sum())
