"""How much of the spread of scores lies between groups, and a permutation test of that.

The share η² = Σ_g n_g (mean_g − mean)² / Σ_i (x_i − mean)² grows with F, so both have the same
permutation test. Under the null hypothesis every assignment of the scores to groups of these sizes
is equally likely. If there are few, all are listed; otherwise some are drawn at random and the data
count as one of them, p = (b + 1) / (m + 1).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import factorial, prod

import numpy as np

from unslant.core.types import Array
from unslant.numerics.permutation import PermutationTest

EXACT_UP_TO = 20_000
_BATCH = 10_000
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
    found: Array = np.full_like(total, np.nan)
    np.divide(between, total, out=found, where=is_spread)
    return found


def groups_test(
    scores: Array, sizes: Sequence[int], rng: np.random.Generator, *, resamples: int = 100_000
) -> PermutationTest:
    """Test whether scores, in the order of their groups, differ between the groups."""
    centred = scores - scores.mean()
    # A share that equals the data's up to rounding counts as at least as extreme.
    least = float(_between(centred, sizes)) - _TOLERANCE * float((centred**2).sum())
    count = factorial(len(scores)) // prod(factorial(size) for size in sizes)
    if count <= EXACT_UP_TO:
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
