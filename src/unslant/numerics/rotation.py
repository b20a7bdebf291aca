"""A rotation in one plane by an angle that depends on where in the plane a vector lies.

It takes the line of a unit vector v1 to itself and that of v2 to the line at a right angle to v1;
everything in between is rotated in proportion. With α in [0, π) the angle from v1 of a vector's
part in the plane, taken as a line, and θ' ≤ π/2 the one of v2, the turn is (π/2 − θ') · min(α/θ',
(π − α)/(π − θ')). Nothing outside the plane changes.
"""

import numpy as np

from unslant.core.types import Array, Floats
from unslant.numerics.linalg import safe_angle, unit


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
