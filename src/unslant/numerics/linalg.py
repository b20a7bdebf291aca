"""Linear algebra that is robust in edge cases."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def safe_norm(vector: Array) -> float:
    """The length of a vector, without overflow or underflow of the squares."""
    largest = float(np.abs(vector).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    return largest * float(np.linalg.norm(vector / largest))


def unit(vector: Array) -> Array:
    """The vector scaled to length 1; the zero vector is an error."""
    length = safe_norm(vector)
    if length == 0.0:
        raise ValueError("The zero vector has no direction.")
    largest = float(np.abs(vector).max())
    scaled = vector / largest
    return np.asarray(scaled / np.linalg.norm(scaled))


def safe_cosine(a: Array, b: Array) -> float:
    """The cosine of two vectors, within [-1, 1] despite rounding."""
    return float(np.clip(unit(a) @ unit(b), -1.0, 1.0))


def safe_angle(a: Array, b: Array) -> float:
    """The angle of two vectors in radians, accurate near 0 and π too (Kahan's formula)."""
    u, v = unit(a), unit(b)
    return float(2.0 * np.arctan2(np.linalg.norm(u - v), np.linalg.norm(u + v)))


def principal_axes(rows: Array) -> tuple[Array, Array]:
    """Right singular vectors of the rows (not centred) and the singular values, largest first.

    The sign of each axis is fixed: its component of largest size is positive.
    """
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    return with_fixed_signs(axes), values


def with_fixed_signs(axes: Array) -> Array:
    """The axes, each with the sign that makes its largest component positive."""
    places = np.abs(axes).argmax(axis=1)
    signs = np.sign(axes[np.arange(len(axes)), places])
    return np.asarray(axes * np.where(signs == 0, 1.0, signs)[:, None])


def projected_out(matrix: NDArray[np.float32], basis: Array) -> NDArray[np.float32]:
    """The rows without their components along an orthonormal basis."""
    axes = basis.astype(np.float32)
    return np.asarray(matrix - (matrix @ axes.T) @ axes, dtype=np.float32)
