"""The residual of a ridge regression."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def ridge_residual(rows: Array, alpha: float) -> Array:
    """The symmetric M with x M = x − what a ridge regression of x on the rows explains.

    With the rows as columns D, x − x D(D'D + αI)⁻¹D' equals x α(αI + DD')⁻¹, which needs d × d
    numbers for any number of rows. No potentially singular matrix is inverted.
    """
    values, axes = np.linalg.eigh(rows.T @ rows)
    return np.asarray((axes * (alpha / (alpha + np.maximum(values, 0.0)))) @ axes.T)
