"""For every vector, the other vector whose difference from it is most parallel to an axis."""

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Matrix
from unslant.numerics.chunks import row_blocks

_BLOCK_BYTES = 16 << 20


def best_partners(
    units: Matrix, axis: Matrix, farthest: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each x the y with the largest cos(axis, x − y) among those within ``farthest`` of x.

    For unit vectors ‖x − y‖² = 2 − 2 x·y, so that no difference is formed. Equal vectors differ
    in no direction and score 0, as does an x without any y. The score and the place of y.
    """
    along = units @ axis
    scores = np.zeros(len(units))
    partners = np.zeros(len(units), dtype=np.int64)
    least = 2 * np.finfo(np.float32).eps * units.shape[1]  # what rounding leaves of equal vectors
    for rows in row_blocks(len(units), 4 * len(units), _BLOCK_BYTES):
        squares = units[rows] @ units.T
        squares *= -2
        squares += 2
        is_out = (squares > farthest**2) | (squares < least)
        np.sqrt(np.maximum(squares, least, out=squares), out=squares)
        found = along[rows, None] - along[None]
        found /= squares
        found[is_out] = 0
        best = found.argmax(axis=1)
        partners[rows] = best
        scores[rows] = found[np.arange(len(best)), best]
    return scores, partners
