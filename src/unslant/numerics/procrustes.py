"""Orthogonal Procrustes if the rows do not determine the solution."""

from dataclasses import dataclass

import numpy as np

from unslant.core.types import Array

_RANK = 1e-12


@dataclass(frozen=True, eq=False)
class Alignment:
    """An orthogonal W for rows, x → x W, and how much of it the data determine.

    ``rank`` dimensions are determined by the data. ``is_unique`` is False if several optimal
    maps are equally close to the identity, so that one of them was chosen.
    """

    matrix: Array
    rank: int
    is_unique: bool


def nearest_alignment(moments: Array) -> Alignment:
    """Of the orthogonal W that minimise ‖A W − B‖ for A'B = ``moments``, the nearest to I.

    With A'B = UΣV' of rank r (U, V of r columns), W is optimal if it takes U to V; it may map the
    complement of U to that of V in any way. If r < d, a library's UV' contains an arbitrary
    completion. The nearest to the identity is the identity outside the span of
    U and V, and inside it the completion Z = PQ' where U₀'V₀ = PSQ' for bases U₀, V₀ of the two
    complements. This is the limit of the polar factor of A'B + εI.
    """
    left, values, right = np.linalg.svd(moments)
    rank = int((values > _RANK * values[0]).sum()) if values[0] > 0 else 0
    taken, given = left[:, :rank], right[:rank].T
    joint, sizes, _ = np.linalg.svd(np.hstack([taken, given]), full_matrices=False)
    span = joint[:, sizes > _RANK]
    inner, is_unique = _completed(span.T @ taken, span.T @ given)
    matrix = np.eye(len(moments)) + span @ (inner - np.eye(span.shape[1])) @ span.T
    return Alignment(np.asarray(matrix), rank, is_unique)


def _completed(taken: Array, given: Array) -> tuple[Array, bool]:
    """The orthogonal matrix nearest to I that takes orthonormal columns to orthonormal columns."""
    size, rank = taken.shape
    if rank == size:
        return np.asarray(taken @ given.T), True
    rest_taken = np.linalg.svd(taken)[0][:, rank:]
    rest_given = np.linalg.svd(given)[0][:, rank:]
    p, overlaps, q = np.linalg.svd(rest_taken.T @ rest_given)
    matrix = taken @ given.T + rest_taken @ (p @ q) @ rest_given.T
    return np.asarray(matrix), bool(overlaps[-1] > 1e-8)


def rotation_angles(matrix: Array) -> Array:
    """The angles in radians, from 0 to π, by which an orthogonal matrix rotates, largest first."""
    return np.sort(np.abs(np.angle(np.linalg.eigvals(matrix))))[::-1]
