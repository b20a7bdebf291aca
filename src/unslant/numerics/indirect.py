"""How much of the similarity of two vectors is due to a subspace.

With c the cosine of two unit vectors and p, q their coordinates in an orthonormal basis of the
subspace, their parts outside it have the inner product c − p·q and the lengths √(1 − p²) and
√(1 − q²). So the share needs no second matrix, only cosines and coordinates.
"""

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Floats

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
