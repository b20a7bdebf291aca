"""Linear algebra that is robust in edge cases: directions, spans, residuals."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array


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


def ridge_residual(rows: Array, alpha: float) -> Array:
    """The symmetric M with x M = x − what a ridge regression of x on the rows explains.

    With the rows as columns D, x − x D(D'D + αI)⁻¹D' equals x α(αI + DD')⁻¹, which needs d × d
    numbers for any number of rows. No potentially singular matrix is inverted.
    """
    values, axes = np.linalg.eigh(rows.T @ rows)
    return np.asarray((axes * (alpha / (alpha + np.maximum(values, 0.0)))) @ axes.T)


def equalised(units: Array, basis: Array) -> Array | None:
    """Unit vectors that share their part outside the subspace and are equally long inside it.

    With the mean μ and its part ν outside the subspace, each becomes
    ν + √(1 − ‖ν‖²) (w_B − μ_B)/‖w_B − μ_B‖, which is of length 1 again. None if a vector
    equals the mean in the subspace, so that it has no direction to move in.
    """
    mean = units.mean(axis=0)
    outside = mean - (mean @ basis.T) @ basis
    inside = (units - mean) @ basis.T
    lengths = np.linalg.norm(inside, axis=1, keepdims=True)
    if (lengths < 1e-6).any():
        return None
    room = max(0.0, 1.0 - float(outside @ outside))  # rounding may take it below 0
    return np.asarray(outside + np.sqrt(room) * (inside / lengths) @ basis)
