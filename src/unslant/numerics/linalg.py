"""Linear algebra that is robust in edge cases: directions, spans, residuals."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array, Floats
from unslant.numerics.chunks import row_blocks


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


# Principal axes of many rows, or of all differences between two sets of rows, by moments.


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


# How much of the similarity of two vectors is due to a subspace.
#
# With c the cosine of two unit vectors and p, q their coordinates in an orthonormal basis of the
# subspace, their parts outside it have the inner product c − p·q and the lengths √(1 − p²) and
# √(1 − q²). So the share needs no second matrix, only cosines and coordinates.

SMALLEST = 1e-6
"""The precision of cosines of float32 vectors and of their remainders."""


def subspace_share(
    cosines: Floats, first: Floats, second: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """β = (c − c⊥) / c for pairs of unit vectors, and where it is defined (0 elsewhere).

    ``first`` and ``second`` end in one axis more than ``cosines``: the coordinates in the basis.
    β is not defined for orthogonal vectors and for one that lies in the subspace.

    >>> share, is_defined = subspace_share(np.array([0.5]), np.array([[0.6]]), np.array([[0.8]]))
    >>> round(float(share[0]), 4), bool(is_defined[0])
    (0.9167, True)
    """
    outside = cosines - (first * second).sum(axis=-1)
    left = (1 - (first * first).sum(axis=-1)) * (1 - (second * second).sum(axis=-1))
    is_defined = (np.abs(cosines) > SMALLEST) & (left > SMALLEST**2)
    safe = np.where(is_defined, cosines * np.sqrt(np.where(is_defined, left, 1)), 1)
    return np.where(is_defined, 1 - outside / safe, 0), np.asarray(is_defined)


# A rotation in one plane by an angle that depends on where in the plane a vector lies.
#
# It takes the line of a unit vector v1 to itself and that of v2 to the line at a right angle to
# v1; everything in between is rotated in proportion. With α in [0, π) the angle from v1 of a
# vector's part in the plane, taken as a line, and θ' ≤ π/2 the one of v2, the turn is (π/2 − θ')
# · min(α/θ', (π − α)/(π − θ')). Nothing outside the plane changes.


def plane_of(kept: Array, turned: Array) -> tuple[Array, float]:
    """Orthonormal v1 and v2' (2 × d) that span both unit vectors, and the angle between these.

    v2' is on the side of ``turned``. The vectors must not be parallel.
    """
    first = unit(kept)
    second = turned - (turned @ first) * first
    second = unit(second)
    second = unit(second - (second @ first) * first)  # once is not enough for a small angle
    return np.stack([first, second]), safe_angle(kept, turned)


def graded_turns(parts: Array, angle: float) -> Array:
    """The rotation angle of each vector in the plane (n × 2), with v2 ``angle`` ≤ π/2 from v1."""
    lines = np.mod(np.arctan2(parts[:, 1], parts[:, 0]), np.pi)
    grades = np.minimum(lines / angle, (np.pi - lines) / (np.pi - angle))
    return np.asarray((np.pi / 2 - angle) * grades)


def graded_rotation(
    rows: Floats,
    kept: Array,
    turned: Array,
    centre: Array | None = None,
    out: Floats | None = None,
) -> Floats:
    """The rows rotated in the plane of two unit vectors at most π/2 apart, about ``centre``.

    The result has the precision of the rows, and is in ``out`` if that is given. A row at the
    centre, which is 0 by default, does not move.
    """
    plane, angle = plane_of(kept, turned)
    parts = (rows @ plane.T.astype(rows.dtype)).astype(np.float64)
    if centre is not None:
        parts -= plane @ centre
    turns = graded_turns(parts, angle)
    # cos t − 1 would lose the digits of a small turn.
    less, sine = -2 * np.sin(turns / 2) ** 2, np.sin(turns)
    change = np.stack(
        [less * parts[:, 0] - sine * parts[:, 1], sine * parts[:, 0] + less * parts[:, 1]], axis=1
    )
    out = np.matmul(change.astype(rows.dtype), plane.astype(rows.dtype), out=out)
    out += rows
    return out
