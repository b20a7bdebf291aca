"""A random direction, the control for all other directions."""

from dataclasses import dataclass

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import ExpressionError
from unslant.core.seeds import generator
from unslant.numerics.linalg import principal_axes
from unslant.subspaces.estimator import subspace_estimator
from unslant.subspaces.subspace import Subspace
from unslant.vectors import WordVectors


@subspace_estimator("random", cites="dev-2020")
@dataclass(frozen=True)
class RandomDirection:
    """Random directions, uniform on the sphere: removing them shows the effect of any removal."""

    seed: int = 0
    k: int = 1

    def fit(self, vectors: WordVectors, concept: Concept, policy: WordPolicy) -> Subspace:
        """Draw the subspace."""
        if not 1 <= self.k < vectors.dim:
            raise ExpressionError(
                f'The "k" parameter of random must be between 1 and {vectors.dim - 1} for '
                f"{vectors.name}. Got {self.k} instead."
            )
        rows = generator(self.seed, "random direction").standard_normal((self.k, vectors.dim))
        axes, _ = principal_axes(rows)
        return Subspace(basis=axes, estimator=f"random(seed={self.seed}, k={self.k})")
