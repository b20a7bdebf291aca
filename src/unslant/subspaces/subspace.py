"""An estimated subspace; creating it fails if the words do not determine it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DegenerateSubspaceError, ExpressionError
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.numerics.linalg import projected_out

WEAKEST = 1e-4
"""Below this separation, relative to the words' length, rounding determines the direction."""
WEAK = 1e-2
"""Below this separation the direction has a warning."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Subspace:
    """An orthonormal basis (k × d) and how it was estimated.

    ``strength`` is the separation along the last axis kept, relative to the mean length of the
    words; ``explained`` are shares of variance of all axes, ``weights`` those of the axes kept.
    """

    basis: Array
    estimator: str
    strength: float | None = None
    explained: tuple[float, ...] = ()
    words: tuple[WordUse, ...] = field(default=(), repr=False)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        basis = np.atleast_2d(np.asarray(self.basis, dtype=np.float64))
        if not np.allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-8):
            raise ValueError("The basis of a subspace must be orthonormal.")
        basis.flags.writeable = False
        object.__setattr__(self, "basis", basis)
        if self.strength is None:
            return
        if not self.strength >= WEAKEST:
            raise DegenerateSubspaceError(
                f"{self.estimator} gives no direction: the separation of the words is only "
                f"{self.strength:.1e} of their length, which is rounding error. Use other words or "
                f"pairs, or fewer components."
            )
        if self.strength < WEAK:
            warning = f"the separation is only {self.strength:.1e} of the words' length"
            if warning not in self.warnings:  # a copy already has it
                object.__setattr__(self, "warnings", (*self.warnings, warning))

    @property
    def k(self) -> int:
        """The number of dimensions."""
        return len(self.basis)

    def one_axis(self, by: str) -> Array:
        """The direction of a one-dimensional subspace; ``by`` is the component that needs it."""
        if self.k > 1:
            raise ExpressionError(
                f"{by} compares words along one direction, but {self.estimator} has {self.k}. "
                f'Use one direction, as in {by}(subspace="two-means(first, second)") with two '
                f"lists of the concept."
            )
        return np.asarray(self.basis[0])

    @property
    def weights(self) -> tuple[float, ...]:
        """The share of variance of each axis kept."""
        return self.explained[: self.k] or (1.0,) * self.k

    def project_out(self, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rows without their component in this subspace."""
        return projected_out(matrix, self.basis)
