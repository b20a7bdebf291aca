"""The difference of two group means."""

from dataclasses import dataclass

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import DegenerateSubspaceError
from unslant.numerics.linalg import safe_norm, unit
from unslant.subspaces.estimator import subspace_estimator
from unslant.subspaces.fitting import group_sets, mean_length
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space


@subspace_estimator("two-means", cites="dev-phillips-2019")
@dataclass(frozen=True)
class TwoMeans:
    """Difference of two means, g = (mean(A) − mean(B)) normalised; A and B need not be paired.

    ``two-means(names)`` and ``two-means(words)`` take the concept's two groups,
    ``two-means(a, b)`` two of its lists. With ``unit_means`` each mean is scaled to length 1
    before the difference is taken (Cheung and Ip).
    """

    first: str = "names"
    second: str = ""
    unit_means: bool = False

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the direction."""
        sets, a, b = group_sets(space, concept, self.first, self.second, policy, "two-means")
        mean_a, mean_b = sets.matrix(a).mean(axis=0), sets.matrix(b).mean(axis=0)
        scale = (mean_length(sets.matrix(a)) + mean_length(sets.matrix(b))) / 2
        if self.unit_means:
            mean_a, mean_b, scale = unit(mean_a), unit(mean_b), 1.0
        name = f"two-means({', '.join(filter(None, (self.first, self.second)))})"
        length = safe_norm(mean_a - mean_b)
        if length == 0.0:
            raise DegenerateSubspaceError(f"{name} gives no direction: both means are the same.")
        return Subspace(
            basis=unit(mean_a - mean_b)[None],
            estimator=name,
            strength=length / scale,
            explained=(1.0,),
            words=sets.uses,
        )
