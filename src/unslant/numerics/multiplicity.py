"""Corrections for multiple tests."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unslant.core.types import Array


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
