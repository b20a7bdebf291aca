"""Principal axes of many rows, or of all differences between two sets of rows, by moments."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array
from unslant.numerics.chunks import row_blocks
from unslant.numerics.linalg import with_fixed_signs


def difference_moments(first: Array, second: Array, *, centred: bool = False) -> Array:
    """The sum of δδ' over the differences δ of every row of ``first`` and every of ``second``.

    With A, B the centred rows and δ̄ the difference of their means it is
    n_b·A'A + n_a·B'B + n_a·n_b·δ̄δ̄', a sum of positive terms, so nothing cancels; centring the
    differences drops the last term.
    """
    difference = first.mean(axis=0) - second.mean(axis=0)
    spread_a, spread_b = first - first.mean(axis=0), second - second.mean(axis=0)
    moments = len(second) * spread_a.T @ spread_a + len(first) * spread_b.T @ spread_b
    if not centred:
        moments += len(first) * len(second) * np.outer(difference, difference)
    return np.asarray(moments)


def axes_of_moments(moments: Array) -> tuple[Array, Array]:
    """Principal axes as rows and their shares of the moments, largest first, signs fixed."""
    values, axes = np.linalg.eigh(moments)
    return with_fixed_signs(axes[:, ::-1].T), np.maximum(values[::-1], 0.0)


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
    return mean, *axes_of_moments(moments / count)
