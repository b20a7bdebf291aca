"""Principal axes of all differences between the names of two groups."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.parameters import at_least
from unslant.numerics.linalg import axes_of_moments, difference_moments
from unslant.subspaces.estimator import subspace_estimator
from unslant.subspaces.fitting import group_sets, mean_length, oriented
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space


@subspace_estimator(
    "names",
    cites="dawkins-2021",
    misleads="First names also carry age, region and ethnicity, and common names are of one "
    "country: the axes are not gender alone. Later axes describe how names differ "
    "within a group.",
)
@dataclass(frozen=True)
class NamesDifferences:
    """Principal axes of f − m over all pairs of names f, m, with shares of variance as weights.

        gᵢ = principal axes of f − m over all pairs of names,  aᵢ = share of variance of gᵢ

    Centring the differences would remove the difference of the means, which is the direction that
    separates the groups, so they are not centred by default. Each axis points to the first
    group's mean.
    """

    k: Annotated[int, at_least(1)] = 4
    centred: bool = False

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the subspace."""
        sets, a, b = group_sets(space, concept, "names", "", policy, "names")
        first, second = sets.matrix(a), sets.matrix(b)
        axes, values = axes_of_moments(difference_moments(first, second, centred=self.centred))
        name = f"names(k={self.k}{', centred=true' if self.centred else ''})"
        if self.k > len(values) or values[self.k - 1] <= 1e-12 * values[0]:
            raise DegenerateSubspaceError(
                f"{name} requests {self.k} components, but the names give fewer independent "
                f"ones. Request fewer, or add names."
            )
        pairs = len(first) * len(second)
        scale = (mean_length(first) + mean_length(second)) / 2
        subspace = Subspace(
            basis=axes[: self.k],
            estimator=name,
            strength=float(np.sqrt(values[self.k - 1] / pairs) / scale),
            explained=tuple((values / values.sum())[:10].tolist()),
            words=sets.uses,
        )
        return oriented(subspace, first.mean(axis=0) - second.mean(axis=0))
