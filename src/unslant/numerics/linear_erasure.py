"""Least-squares erasure: the smallest change that leaves no covariance with given labels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array

TOLERANCE = 1e-9
"""Of the largest singular value. The indicators of c labels sum to 1, so one of their c singular
values is 0 up to rounding; every other one is erased, however small, or some covariance would
remain."""


def shrunk(covariance: Array, observations: int) -> Array:
    """α S + (1 − α) (tr S / d) I with the α that is optimal as d and n grow together.

    S is the sample covariance with divisor n. Optimal means the smallest expected squared distance
    from the true covariance for any distribution (Bodnar, Gupta and Parolya 2014):
    1 − α = (tr S)²/n · ‖T‖² / (‖S‖²‖T‖² − (tr S T)²) for the target T = (tr S / d) I, which is
    (tr S)² / (n ‖S − T‖²). Kept between 0 and 1: for very few observations it would leave that
    range, and the result would not be a covariance.
    """
    dim = len(covariance)
    trace = float(np.trace(covariance))
    target = np.eye(dim) * (trace / dim)
    apart = float(((covariance - target) ** 2).sum())
    if apart <= 1e-30 * trace**2:
        return target
    weight = min(1.0, trace**2 / (observations * apart))
    return np.asarray((1 - weight) * covariance + weight * target)


def root_and_inverse(covariance: Array) -> tuple[Array, Array]:
    """The symmetric square root and its pseudo-inverse."""
    values, axes = np.linalg.eigh((covariance + covariance.T) / 2)
    is_real = values > max(values[-1], 0.0) * len(values) * np.finfo(np.float64).eps
    roots = np.sqrt(np.where(is_real, values, 1.0))
    root = (axes * np.where(is_real, roots, 0.0)) @ axes.T
    inverse = (axes * np.where(is_real, 1 / roots, 0.0)) @ axes.T
    return root, inverse


@dataclass(frozen=True, eq=False)
class Erasure:
    """x → x − ((x − mean) Rᵀ) W with k × d matrices R (``read``) and W (``write``)."""

    read: Array
    write: Array
    mean: Array

    def apply(self, rows: Array) -> Array:
        """Erase, and keep the mean."""
        return np.asarray(rows - (rows - self.mean) @ self.read.T @ self.write)


def indicators(labels: NDArray[np.int64]) -> Array:
    """One column of zeros and ones for each label that occurs."""
    _, places = np.unique(labels, return_inverse=True)
    return np.eye(int(places.max()) + 1)[places]


def erasure(rows: Array, targets: Array, *, whitened: bool, shrinkage: bool) -> Erasure:
    """The map that removes all covariance with ``targets`` from ``rows``.

    With ``whitened``, distances are measured in units of the rows' own spread, which makes the
    change minimal in mean square; otherwise it is an orthogonal projection. If nothing covaries
    with the targets, it has rank 0.
    """
    count, dim = rows.shape
    mean = rows.mean(axis=0)
    centred = rows - mean
    crossed = centred.T @ (targets - targets.mean(axis=0)) / count
    root, inverse = np.eye(dim), np.eye(dim)
    if whitened:
        covariance = centred.T @ centred / count
        root, inverse = root_and_inverse(shrunk(covariance, count) if shrinkage else covariance)
    left, values, _ = np.linalg.svd(inverse @ crossed, full_matrices=False)
    spread = np.sqrt((centred**2).sum(axis=0).max() / count)
    nothing = 1e-12 * (1.0 if whitened else spread)
    axes = left[:, values > max(TOLERANCE * values[0], nothing)].T
    return Erasure(read=axes @ inverse, write=axes @ root, mean=mean)
