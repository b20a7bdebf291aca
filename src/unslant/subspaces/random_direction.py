"""A random direction, the control for all other directions."""

from dataclasses import dataclass
from typing import Annotated

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import ExpressionError
from unslant.core.parameters import at_least
from unslant.core.seeds import generator
from unslant.numerics.linalg import principal_axes
from unslant.subspaces.estimator import subspace_estimator
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space


@subspace_estimator(
    "random",
    cites="dev-2020",
    misleads="It says nothing about a concept. In few dimensions a random direction is not "
    "far from any other.",
)
@dataclass(frozen=True)
class RandomDirection:
    """Random directions, uniform on the sphere: removing them shows the effect of any removal.

        G = orthonormal rows drawn uniformly from the sphere

    ``k`` of them, drawn by ``seed``.
    """

    seed: Annotated[int, at_least(0)] = 0
    k: Annotated[int, at_least(1)] = 1

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Draw the subspace."""
        if self.k >= space.dim:
            raise ExpressionError(
                f'The "k" parameter of random must be less than the dimension of '
                f"{space.name}, {space.dim}. Got {self.k} instead."
            )
        rows = generator(self.seed, "random direction").standard_normal((self.k, space.dim))
        axes, _ = principal_axes(rows)
        return Subspace(basis=axes, estimator=f"random(seed={self.seed}, k={self.k})")
