"""The Fantope: symmetric matrices with eigenvalues between 0 and 1 that sum to k.

It is the smallest convex set that contains all orthogonal projections of rank k.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def clipped_to_sum(values: Array, k: float) -> Array:
    """The nearest numbers between 0 and 1 that sum to k: clip(values − τ, 0, 1) for the right τ.

    The sum is piecewise linear in τ, with knots where a number enters or leaves the range, so τ is
    found exactly, without bisection.

    >>> import numpy as np
    >>> clipped_to_sum(np.array([3.0, 0.6, 0.2]), 1.4).round(9).tolist()
    [1.0, 0.4, 0.0]
    """
    knots = np.sort(np.concatenate([values, values - 1]))
    sums = np.clip(values[None, :] - knots[:, None], 0, 1).sum(axis=1)
    shift = np.interp(-k, -sums, knots)  # sums descend, and interp wants them ascending
    return np.asarray(np.clip(values - shift, 0, 1))


def nearest_in_fantope(matrix: Array, k: int) -> Array:
    """The matrix of the Fantope that is nearest to a symmetric one (in the sum of squares)."""
    values, axes = np.linalg.eigh(matrix)
    return np.asarray((axes * clipped_to_sum(values, k)) @ axes.T)


def leading_axes(matrix: Array, k: int) -> Array:
    """The eigenvectors of the k largest eigenvalues of a symmetric matrix, as rows."""
    _, axes = np.linalg.eigh(matrix)
    return np.ascontiguousarray(axes[:, ::-1][:, :k].T)
