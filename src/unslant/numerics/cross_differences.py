"""All differences between the rows of two matrices, without forming them."""

import numpy as np
from numpy.typing import NDArray

from unslant.numerics.linalg import with_fixed_signs

Array = NDArray[np.float64]


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
