"""Make unit vectors differ only in a subspace, by equal amounts."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
