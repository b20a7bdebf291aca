"""The mean and the principal axes of a matrix with many rows, read in blocks."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unslant.numerics.chunks import row_blocks
from unslant.numerics.linalg import with_fixed_signs

Array = NDArray[np.float64]


def mean_and_axes(
    matrix: NDArray[np.float32], progress: Callable[[int, int], None] | None = None
) -> tuple[Array, Array, Array]:
    """The mean row, the axes of largest variance first (d × d, as rows), and the variances.

    The mean is computed in a first pass: second moments about 0 would lose the digits of the
    variance if the mean is large. The sign of each axis is fixed.
    """
    count, dim = matrix.shape
    total = np.zeros(dim)
    for place in row_blocks(count, 8 * dim):
        total += matrix[place].sum(axis=0, dtype=np.float64)
    mean = total / count
    moments = np.zeros((dim, dim))
    for place in row_blocks(count, 8 * dim):
        block = matrix[place] - mean
        moments += block.T @ block
        if progress:
            progress(place.stop, count)
    values, axes = np.linalg.eigh(moments / count)
    return mean, with_fixed_signs(axes[:, ::-1].T), np.maximum(values[::-1], 0.0)
