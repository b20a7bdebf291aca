"""Permutation tests for the difference of two group means.

Under the null hypothesis every split of the pooled scores into groups of these sizes is equally
likely. If there are few splits, all are listed. Otherwise the share that is as extreme is counted
without listing them, within a proven error. If even that is too much work, splits are sampled
without replacement, and the data count as one of the outcomes, p = (b + 1) / (m + 1) (Phipson and
Smyth 2010), so that p is never 0.
"""

from dataclasses import dataclass
from math import comb

import numpy as np

from unslant.core.types import Array
from unslant.numerics.splits import Bounds, share_of_splits_at_least

EXACT_UP_TO = 200_000
ALTERNATIVES = ("two-sided", "greater", "less")
_BATCH = 10_000


@dataclass(frozen=True)
class PermutationTest:
    """The p-value of a difference of means, how it was computed and the number of splits."""

    p_value: float
    how: str
    outcomes: int
    error: float = 0.0


def permutation_test(
    first: Array,
    second: Array,
    rng: np.random.Generator,
    *,
    alternative: str = "two-sided",
    resamples: int = 100_000,
    relative_error: float = 2e-3,
) -> PermutationTest:
    """Test whether ``mean(first) - mean(second)`` is larger than a random split would give.

    Splits that equal the data up to rounding count as at least as extreme. ``relative_error``
    is how close a counted p-value should be to the true one, relative to itself.
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
    counted = _counted(pooled, size, observed, alternative, tolerance, relative_error)
    if counted is not None:
        p = min(1.0, max(counted.middle, 1 / splits))
        return PermutationTest(p, "exact", splits, counted.error)
    extreme = 0
    for done in range(0, resamples, _BATCH):
        order = rng.random((min(_BATCH, resamples - done), total)).argpartition(size, axis=1)
        sums = pooled[order[:, :size]].sum(axis=1)
        extreme += _count_extreme(sums, pooled, size, observed, alternative, tolerance)
    return PermutationTest((extreme + 1) / (resamples + 1), "monte carlo", resamples + 1)


def _counted(
    pooled: Array,
    size: int,
    observed: float,
    alternative: str,
    tolerance: float,
    relative_error: float,
) -> Bounds | None:
    """The share of all splits that are as extreme, by counting sums on a grid."""
    total, rest = float(pooled.sum()), len(pooled) - size

    def sum_with(difference: float) -> float:
        return (difference + total / rest) / (1 / size + 1 / rest)

    shares: list[Bounds | None] = []
    extreme = abs(observed) if alternative == "two-sided" else observed
    if alternative != "less":
        upper = sum_with(extreme - tolerance)
        shares.append(share_of_splits_at_least(pooled, size, upper, relative_error))
    if alternative != "greater":
        lower = -sum_with(
            tolerance - extreme if alternative == "two-sided" else extreme + tolerance
        )
        shares.append(share_of_splits_at_least(-pooled, size, lower, relative_error))
    known = [share for share in shares if share is not None]
    if len(known) < len(shares):
        return None
    return Bounds(sum(share.low for share in known), sum(share.high for share in known))


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
