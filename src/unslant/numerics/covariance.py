"""Covariances, shrunk towards a sphere if there are few observations."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
