"""Row spaces of matrices, and the intersection of several null spaces."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def row_space(rows: Array, tolerance: float = 1e-6) -> Array:
    """An orthonormal basis of the span of the rows.

    Directions with a singular value of at most ``tolerance`` times the largest are rounding.
    """
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    largest = values.max(initial=0.0)
    return np.asarray(axes[values > tolerance * largest] if largest > 0 else axes[:0])


def outside_common_null_space(bases: Sequence[Array], dim: int) -> Array:
    """An orthonormal basis of the complement of the intersection of null spaces.

    Each of ``bases`` contains orthonormal rows that span the row space of one matrix. The sum of
    the projectors on these row spaces has the intersection of the null spaces as its own null space
    (Ben-Israel 2015), so no error accumulates over repeated products.
    """
    total = sum((basis.T @ basis for basis in bases), np.zeros((dim, dim)))
    values, axes = np.linalg.eigh(total)
    return np.ascontiguousarray(axes[:, values > 1e-9].T[::-1])
