"""A predictor ŷ = v − W Wᵀ v and an adversary ẑ = U ŷ that works against it.

Both losses are squares of linear functions of the data, so they and their gradients depend on the
data only through second moments: a step over all data costs no more than its width.
"""

from dataclasses import dataclass

import numpy as np

from unslant.core.types import Array


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean products of inputs v with themselves, with answers y and with secrets z."""

    vv: Array
    vy: Array
    vz: Array
    yy: float
    zz: float

    @classmethod
    def of(cls, v: Array, y: Array, z: Array) -> "Moments":
        """The moments of rows."""
        n = len(v)
        return cls(
            v.T @ v / n,
            v.T @ y / n,
            v.T @ z / n,
            float(np.vdot(y, y)) / n,
            float(np.vdot(z, z)) / n,
        )


@dataclass(frozen=True, eq=False)
class Gradients:
    """Gradients of the predictor's loss by W, and of the adversary's loss by W and U."""

    predictor: Array
    adversary: Array
    adversary_own: Array


def losses(moments: Moments, W: Array, U: Array) -> tuple[float, float]:
    """The mean squared error of ŷ against y per component, and that of ẑ against z."""
    kept = np.eye(len(W)) - W @ W.T
    seen = kept @ moments.vv @ kept
    of_y = np.trace(seen) - 2 * np.trace(kept @ moments.vy) + moments.yy
    of_z = np.trace(U @ seen @ U.T) - 2 * np.trace(U @ kept @ moments.vz) + moments.zz
    return float(of_y) / len(W), float(of_z) / len(U)


def gradients(moments: Moments, W: Array, U: Array) -> Gradients:
    """The gradients of both losses, for W of shape d × k and U of shape k × d."""
    vv_w, square = moments.vv @ W, W.T @ W
    of_error = vv_w - vv_w @ square - moments.vy @ W
    of_error_turned = vv_w - W @ (W.T @ vv_w) - moments.vy.T @ W
    v_miss = moments.vv @ U.T - vv_w @ (U @ W).T - moments.vz
    return Gradients(
        predictor=-2 / len(W) * (of_error + of_error_turned),
        adversary=-2 / len(U) * (v_miss @ (U @ W) + U.T @ (v_miss.T @ W)),
        adversary_own=2 / len(U) * (v_miss.T - (v_miss.T @ W) @ W.T),
    )
