"""Random parts of labelled items, with the same share of every label in each."""

from collections.abc import Sequence
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array, Numbers
from unslant.numerics.permutation import PermutationTest

Labels = NDArray[np.int64]


def split_by_shares(labels: Labels, shares: Sequence[float], rng: np.random.Generator) -> Labels:
    """The number of the part that each item belongs to; ``shares`` of the parts sum to 1.

    >>> import numpy as np
    >>> labels = np.repeat([0, 1], 10)
    >>> part = split_by_shares(labels, (0.5, 0.2, 0.3), np.random.default_rng(0))
    >>> np.bincount(part[labels == 1]).tolist()
    [5, 2, 3]
    """
    part = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        places = rng.permutation(np.flatnonzero(labels == label))
        ends = np.rint(np.cumsum(shares) * len(places)).astype(np.int64)
        ends[-1] = len(places)
        part[places] = np.searchsorted(ends, np.arange(len(places)), side="right")
    return part


# Permutation tests for counts of items in groups, within strata.
#
# Items (such as names) have a count each (such as how often a name was found). Under the null
# hypothesis every way of giving the items of a stratum their groups anew, as often as each group
# is in it, is equally likely. With two groups the statistic is how far the sum of the first
# group's counts is from its mean over all of these ways. Counts are whole numbers, so the ways
# with each sum are counted by dynamic programming, and p is exact but for the rounding of
# doubles; where that is too much work, ways are sampled and p = (b + 1) / (m + 1) (Phipson and
# Smyth 2010).

_LARGEST_WORK = 4e8
_MOST_ITEMS = 1_000
"""Of a stratum: the numbers of subsets of more overflow."""
_BATCH = 2_000


def two_groups_test(
    counts: Numbers,
    is_first: NDArray[np.bool_],
    strata: Numbers,
    rng: np.random.Generator,
    *,
    resamples: int = 20_000,
) -> PermutationTest | None:
    """Test whether the first group's items have other counts than those of their own strata.

    None if no stratum has items of both groups, so that nothing can be permuted.

    >>> counts, first = np.array([9, 8, 1, 2]), np.array([True, True, False, False])
    >>> found = two_groups_test(counts, first, np.zeros(4, int), np.random.default_rng(0))
    >>> round(found.p_value, 3), found.how, found.outcomes
    (0.333, 'exact', 6)
    """
    parts = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    sizes = [int(is_first[part].sum()) for part in parts]
    outcomes = prod(comb(len(part), size) for part, size in zip(parts, sizes, strict=True))
    if outcomes == 1:
        return None
    expected = sum(size * counts[part].mean() for part, size in zip(parts, sizes, strict=True))
    far = abs(float(counts[is_first].sum()) - expected)
    far -= 1e-9 * max(1.0, far)  # the same sum is as extreme, however the mean was rounded
    exact = _sums([counts[part] for part in parts], sizes)
    if exact is not None:
        start, shares = exact
        sums = start + np.arange(len(shares))
        p = float(shares[np.abs(sums - expected) >= far].sum())
        return PermutationTest(min(1.0, max(p, 1 / outcomes)), "exact", outcomes)
    extreme = 0
    for done in range(0, resamples, _BATCH):
        labels = permuted(is_first.astype(np.int64), strata, min(_BATCH, resamples - done), rng)
        extreme += int((np.abs(labels @ counts - expected) >= far).sum())
    return PermutationTest((extreme + 1) / (resamples + 1), "monte carlo", resamples + 1)


def spread_test(
    counts: Numbers,
    groups: Numbers,
    strata: Numbers,
    rng: np.random.Generator,
    *,
    resamples: int = 20_000,
) -> PermutationTest | None:
    """Test the largest less the smallest of the groups' means, over sampled ways."""
    if all(len(np.unique(groups[strata == stratum])) < 2 for stratum in np.unique(strata)):
        return None
    observed = float(spreads(groups[None], counts)[0])
    least = observed - 1e-9 * max(1.0, observed)
    extreme = 0
    for done in range(0, resamples, _BATCH):
        labels = permuted(groups, strata, min(_BATCH, resamples - done), rng)
        extreme += int((spreads(labels, counts) >= least).sum())
    return PermutationTest((extreme + 1) / (resamples + 1), "monte carlo", resamples + 1)


def spreads(labels: Numbers, counts: Numbers) -> Array:
    """The largest less the smallest group mean, for each row of labels (0, 1, …)."""
    means = np.stack(
        [
            ((labels == group) @ counts) / (labels == group).sum(axis=1)
            for group in range(int(labels.max()) + 1)
        ]
    )
    ranges: Array = means.max(axis=0) - means.min(axis=0)
    return ranges


def permuted(labels: Numbers, strata: Numbers, rows: int, rng: np.random.Generator) -> Numbers:
    """The labels in random orders within each stratum: rows × items."""
    orders = np.empty((rows, len(labels)), dtype=np.int64)
    for stratum in np.unique(strata):
        part = np.flatnonzero(strata == stratum)
        order = rng.random((rows, len(part))).argsort(axis=1)
        orders[:, part] = labels[part][order]
    return orders


def _sums(parts: list[Numbers], sizes: list[int]) -> tuple[int, Array] | None:
    """The share of all ways with each sum, from the first; None if that is too much work."""
    work = sum(len(p) * s * _width(p, s) for p, s in zip(parts, sizes, strict=True))
    if work > _LARGEST_WORK or max(map(len, parts)) > _MOST_ITEMS:
        return None
    start, shares = 0, np.ones(1)
    for part, size in zip(parts, sizes, strict=True):
        lowest = int(part.min())
        if len(shares) * _width(part, size) > _LARGEST_WORK:
            return None
        start += size * lowest
        shares = np.convolve(shares, _subsets(part - lowest, size))
    return start, shares


def _width(part: Numbers, size: int) -> int:
    """How many sums subsets of a size may have."""
    from_lowest = np.sort(part - part.min())[::-1]
    return int(from_lowest[:size].sum()) + 1


def _subsets(values: Numbers, size: int) -> Array:
    """The share of all subsets of ``size`` values that have each sum from 0 on.

    >>> _subsets(np.array([0, 1, 1]), 2).tolist()
    [0.0, 0.6666666666666666, 0.3333333333333333]
    """
    width = _width(values, size)
    ways = np.zeros((size + 1, width))
    ways[0, 0] = 1
    for value in np.minimum(values, width).tolist():
        # The right side is read whole before any of it is written, so no value is taken twice.
        ways[1:, value:] += ways[:-1, : width - value].copy()
    shares: Array = ways[size] / comb(len(values), size)
    return shares
