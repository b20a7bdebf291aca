"""Intervals for averages over a crossed design: premises × hypotheses × contexts.

Every number in such a table shares its premise with some numbers, its hypothesis with others and
its context with others, so the numbers are far from independent. The levels of each axis are
resampled independently (the pigeonhole bootstrap; Owen 2007). A resample that draws
premise i a_i times, hypothesis j b_j times and context k c_k times weights the number at (i, j, k)
by a_i b_j c_k. One matrix product therefore sums the contexts of all resamples and leaves a small
table of premises × hypotheses for each resample; nothing is copied by index.

Intervals are the plain percentiles of the draws. BCa needs one acceleration, from leaving out one
observation at a time, and a crossed design has three kinds of observation, each with its own
skewness, and no accepted way to combine them. Percentiles also do not need the statistic to be
smooth, which shares and majorities are not. Known weaknesses: crossed resampling counts pure noise
more than once, which widens the interval slightly, and an axis (or stratum) with few levels gives a
spread that is too small by the factor (n − 1) / n.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array, Mask
from unslant.numerics.chunks import one_blas_thread, row_blocks

Counts = NDArray[np.int32]

Values = Callable[[slice], Array]
"""The numbers for a range of premises, as premises × hypotheses × contexts."""

_BLOCK_BYTES = 16 << 20


@dataclass(frozen=True)
class CrossedDraws:
    """How often each resample draws each level of the three axes: resamples × levels."""

    premises: Counts
    hypotheses: Counts
    contexts: Counts

    def __len__(self) -> int:
        return len(self.premises)

    def __getitem__(self, some: slice) -> "CrossedDraws":
        return CrossedDraws(self.premises[some], self.hypotheses[some], self.contexts[some])


def stratified_counts(
    strata: NDArray[np.int64], resamples: int, rng: np.random.Generator
) -> Counts:
    """How often each item is drawn if every stratum is resampled from itself, at its size.

    >>> import numpy as np
    >>> counts = stratified_counts(np.array([0, 0, 1]), 5, np.random.default_rng(0))
    >>> counts.sum(axis=1).tolist(), counts[:, 2].tolist()
    ([3, 3, 3, 3, 3], [1, 1, 1, 1, 1])
    """
    counts = np.empty((resamples, len(strata)), dtype=np.int32)
    for stratum in np.unique(strata):
        places = np.flatnonzero(strata == stratum)
        size = len(places)
        drawn = rng.integers(0, size, (resamples, size))
        drawn += np.arange(resamples)[:, None] * size
        found = np.bincount(drawn.ravel(), minlength=resamples * size)
        counts[:, places] = found.reshape(resamples, size)
    return counts


def over_contexts(values: Values, shape: tuple[int, int, int], contexts: Counts) -> Array:
    """The mean over contexts in each resample: resamples × premises × hypotheses.

    Sums are divided, not weights, so that a sum of ones is exact and no mean exceeds 1.
    """
    premises, hypotheses, size = shape
    weights = contexts.astype(np.float64)
    means = np.empty((len(contexts), premises, hypotheses))
    with one_blas_thread():  # the same bits on any number of cores
        for block in row_blocks(premises, 8 * hypotheses * size, _BLOCK_BYTES):
            numbers = values(block).reshape(-1, size)
            means[:, block] = (weights @ numbers.T).reshape(len(contexts), -1, hypotheses) / size
    return means


def weighted_means(
    cells: Sequence[Array], premises: Array, hypotheses: Array, counted: Mask
) -> Array:
    """The mean over the counted cells of each table, for every row of weights: rows × tables.

    ``cells`` are rows × premises × hypotheses, or one row that all weights share. A row that
    draws none of the counted cells has no mean and gets NaN.
    """
    weights = premises[:, :, None] * (hypotheses[:, None, :] * counted)
    weights = weights.reshape(len(weights), -1)
    total = weights.sum(axis=1)
    sums = [np.vecdot(weights, table.reshape(len(table), -1)) for table in cells]
    nothing = np.full(len(total), np.nan)
    return np.stack([np.divide(s, total, out=nothing.copy(), where=total > 0) for s in sums], 1)


def percentile_bounds(draws: Array, level: float = 0.95) -> tuple[float, float] | None:
    """The middle ``level`` of the draws; None if over one in twenty has no value."""
    finite = draws[np.isfinite(draws)]
    if not len(draws) or len(finite) < 0.95 * len(draws):
        return None
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
