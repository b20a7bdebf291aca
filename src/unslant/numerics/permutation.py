"""Permutation tests for the difference of two group means.

Under the null hypothesis every split of the pooled scores into groups of these sizes is equally
likely. If there are few splits, all are listed. Otherwise the share that is as extreme is counted
without listing them, within a proven error. If even that is too much work, splits are sampled
without replacement, and the data count as one of the outcomes, p = (b + 1) / (m + 1) (Phipson and
Smyth 2010), so that p is never 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, factorial, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unslant.core.types import Array

# Exact tail probabilities over all splits of numbers into two groups, without listing them.
#
# There are 1.26·10¹⁴ ways to choose 25 of 50 numbers. Their sums are counted by dynamic
# programming: after rounding the numbers to a grid, `ways[k][s]` is the number of subsets of size
# k with sum s, and each number extends every subset once. States that can no longer reach the
# threshold are dropped, which in the tails, where p-values are decided, is nearly all of them.
#
# Rounding moves the sum of a subset of size n by at most the sum of the n largest rounding errors
# (and at least by that of the n smallest), so counting with the threshold shifted by either gives
# bounds on the true probability. The grid is refined until they are close.

_FIRST_GRID = 1_000
_LARGEST_GRID = 64_000
_LARGEST_WORK = 4e9


@dataclass(frozen=True)
class Bounds:
    """A probability that is certainly between ``low`` and ``high``."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The best single number."""
        return (self.low + self.high) / 2

    @property
    def error(self) -> float:
        """How far the true probability can be from the middle."""
        return (self.high - self.low) / 2


def share_of_splits_at_least(
    values: Array, size: int, threshold: float, relative_error: float = 2e-3
) -> Bounds | None:
    """The share of all subsets of ``size`` values whose sum reaches ``threshold``.

    The bounds are within ``relative_error`` of their middle, or as close as a bounded amount of
    work allows; None if even the coarsest grid would be too much work.
    """
    grid, bounds = _FIRST_GRID, None
    # Sums that equal the threshold stay undecided on every grid, hence also a largest one.
    while grid <= _LARGEST_GRID and len(values) * size * size * grid / 8 <= _LARGEST_WORK:
        bounds = _bounds(values, size, threshold, grid)
        if bounds.error <= relative_error * bounds.middle:
            break
        grid *= 4
    return bounds


def _bounds(values: Array, size: int, threshold: float, grid: int) -> Bounds:
    ordered = np.sort(values)[::-1]
    lowest, spread = ordered[-1], ordered[0] - ordered[-1]
    if spread == 0.0:
        share = float(size * lowest >= threshold)
        return Bounds(share, share)
    places = (ordered - lowest) / spread * grid
    rounded = np.rint(places).astype(np.int64)
    errors = np.sort(places - rounded)
    goal = (threshold - size * lowest) / spread * grid
    surely = int(np.ceil(goal - errors[:size].sum()))
    # The upper bound must not lose a sum that equals the threshold up to the rounding of these
    # products; 1e-6 of a grid step is far more than that rounding.
    possibly = int(np.ceil(goal - errors[-size:].sum() - 1e-6))
    start, ways = _ways(rounded, size, possibly)
    splits = comb(len(values), size)
    at_least = ways[max(0, surely - start) :].sum() / splits
    return Bounds(float(at_least), float(ways[max(0, possibly - start) :].sum() / splits))


def _ways(numbers: NDArray[np.int64], size: int, least: int) -> tuple[int, Array]:
    """For each sum from the first result on, how many subsets of ``size`` numbers have it.

    ``numbers`` descend. Sums below ``least`` may be missing.
    """
    before = np.concatenate([[0], np.cumsum(numbers)])
    # Doubles, because counts beyond 2^63 are common. Above 2^53 they are rounded, by about 1e-16 of
    # their value, which is far below the error of the grid.
    ways: dict[int, tuple[int, Array]] = {0: (0, np.ones(1))}
    for done, number in enumerate(numbers.tolist(), 1):
        left = len(numbers) - done
        # Downwards, so that a number extends only subsets that do not contain it yet.
        for chosen in range(min(size, done), 0, -1):
            if chosen - 1 in ways:
                start, counts = ways[chosen - 1]
                ways[chosen] = _added(ways.get(chosen), (start + number, counts))
        for chosen in list(ways):
            wanted = size - chosen
            if wanted > left:
                del ways[chosen]
                continue
            start, counts = ways[chosen]
            best = int(before[done + wanted] - before[done])  # the largest numbers still to come
            hopeless = least - best - start
            if hopeless >= len(counts):
                del ways[chosen]
            elif hopeless > 0:
                ways[chosen] = (start + hopeless, counts[hopeless:])
    return ways.get(size, (least, np.zeros(1)))


def _added(mine: tuple[int, Array] | None, more: tuple[int, Array]) -> tuple[int, Array]:
    """Counts by sum, added where their ranges of sums overlap."""
    if mine is None:
        return more[0], more[1].copy()
    start = min(mine[0], more[0])
    stop = max(mine[0] + len(mine[1]), more[0] + len(more[1]))
    total = np.zeros(stop - start)
    for begin, counts in (mine, more):
        total[begin - start : begin - start + len(counts)] += counts
    return start, total


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
    """Test whether ``mean(first) - mean(second)`` is larger than in a random split.

    Splits that equal the data up to rounding count as at least as extreme. ``relative_error``
    is how close a counted p-value should be to the true one, relative to itself.
    """
    if alternative not in ALTERNATIVES:
        raise ValueError(f"alternative must be one of {ALTERNATIVES}, not {alternative!r}.")
    pooled = np.concatenate([first, second])
    size, total = len(first), len(pooled)
    observed = float(first.mean() - second.mean())
    # Sums of the same numbers in another order differ in their last bits (about 1e-16), so the
    # data's own split would not always count as extreme. 1e-12 is far above that rounding and far
    # below differences between scores.
    tolerance = 1e-12 * max(float(np.abs(pooled).max()), abs(observed))
    splits = comb(total, size)
    if splits <= EXACT_UP_TO:
        sums = subset_sums(pooled, size)
        extreme = _count_extreme(sums, pooled, size, observed, alternative, tolerance)
        return PermutationTest(extreme / splits, "exact", splits)
    counted = _counted(pooled, size, observed, alternative, tolerance, relative_error)
    if counted is not None:
        # The data are one of the splits, so p is at least 1 / splits, also where the bounds on a
        # tiny share reach 0; the middles of two tails can add up to slightly more than 1.
        p = min(1.0, max(counted.middle, 1 / splits))
        return PermutationTest(p, "exact", splits, counted.error)
    extreme = 0
    for done in range(0, resamples, _BATCH):
        # The places of the ``size`` smallest of random numbers are a uniform random subset, and
        # argpartition finds them without a full sort.
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


# How much of the spread of scores lies between groups, and a permutation test of that.
#
# The share η² = Σ_g n_g (mean_g − mean)² / Σ_i (x_i − mean)² grows with F, so both have the same
# permutation test. Under the null hypothesis every assignment of the scores to groups of these
# sizes is equally likely. If there are few, all are listed; otherwise some are drawn at random
# and the data count as one of them, p = (b + 1) / (m + 1).

EXACT_PARTITIONS_UP_TO = 20_000
_TOLERANCE = 1e-12


def share_between(scores: Array, sizes: Sequence[int]) -> Array:
    """η² of scores (… × items), whose items are in the order of the groups; NaN without spread.

    >>> share_between(np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]]), (2, 2)).tolist()
    [1.0, 0.0]
    """
    centred = scores - scores.mean(axis=-1, keepdims=True)
    total = (centred**2).sum(axis=-1)
    between = _between(centred, sizes)
    largest = np.abs(scores).max(axis=-1)
    is_spread = total > (_TOLERANCE * largest) ** 2 * scores.shape[-1]
    shares: Array = np.full_like(total, np.nan)
    np.divide(between, total, out=shares, where=is_spread)
    return shares


def groups_test(
    scores: Array, sizes: Sequence[int], rng: np.random.Generator, *, resamples: int = 100_000
) -> PermutationTest:
    """Test whether scores, in the order of their groups, differ between the groups."""
    centred = scores - scores.mean()
    # A share that equals the data's up to rounding counts as at least as extreme.
    least = float(_between(centred, sizes)) - _TOLERANCE * float((centred**2).sum())
    count = factorial(len(scores)) // prod(factorial(size) for size in sizes)
    if count <= EXACT_PARTITIONS_UP_TO:
        orders = np.array([*_assignments(tuple(range(len(scores))), tuple(sizes))])
        extreme = int((_between(centred[orders], sizes) >= least).sum())
        return PermutationTest(extreme / count, "exact", count)
    extreme = 0
    for done in range(0, resamples, _BATCH):
        order = rng.random((min(_BATCH, resamples - done), len(scores))).argsort(axis=1)
        extreme += int((_between(centred[order], sizes) >= least).sum())
    return PermutationTest((extreme + 1) / (resamples + 1), "monte carlo", resamples + 1)


def _between(centred: Array, sizes: Sequence[int]) -> Array:
    parts = np.split(centred, np.cumsum(sizes)[:-1], axis=-1)
    return np.asarray(sum(part.sum(axis=-1) ** 2 / part.shape[-1] for part in parts))


def _assignments(items: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way to put items into groups of these sizes, as one order of the items."""
    if len(sizes) == 1:
        yield items
        return
    for first in combinations(items, sizes[0]):
        rest = tuple(item for item in items if item not in first)
        for others in _assignments(rest, sizes[1:]):
            yield (*first, *others)


# Corrections for multiple tests.


def holm(p_values: ArrayLike) -> Array:
    """Adjusted p-values that control the probability of even one false finding (Holm 1979).

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    adjusted = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return _unsorted(adjusted, order)


def benjamini_hochberg(p_values: ArrayLike) -> Array:
    """Adjusted p-values that control the share of false findings (Benjamini and Hochberg 1995).

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, len(p) + 1)
    steps = p[order] * len(p) / ranks
    adjusted = np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1])
    return _unsorted(adjusted, order)


def _unsorted(values: Array, order: NDArray[np.int64]) -> Array:
    result = np.empty_like(values)
    result[order] = values
    return result
