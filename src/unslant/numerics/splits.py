"""Exact tail probabilities over all splits of numbers into two groups, without listing them.

There are 1.26·10¹⁴ ways to choose 25 of 50 numbers. Their sums are counted by dynamic
programming: after rounding the numbers to a grid, ``ways[k][s]`` is the number of subsets of size
k with sum s, and each number extends every subset once. States that can no longer reach the
threshold are dropped, which in the tails, where p-values are decided, is nearly all of them.

Rounding moves the sum of a subset of size n by at most the sum of the n largest rounding errors
(and at least by that of the n smallest), so counting with the threshold shifted by either gives
bounds on the true probability. The grid is refined until they are close.
"""

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array

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
    grid, found = _FIRST_GRID, None
    # Sums that equal the threshold stay undecided on every grid, hence also a largest one.
    while grid <= _LARGEST_GRID and len(values) * size * size * grid / 8 <= _LARGEST_WORK:
        found = _bounds(values, size, threshold, grid)
        if found.error <= relative_error * found.middle:
            break
        grid *= 4
    return found


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
    ways: dict[int, tuple[int, Array]] = {0: (0, np.ones(1))}
    for done, number in enumerate(numbers.tolist(), 1):
        left = len(numbers) - done
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
