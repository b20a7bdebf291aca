"""Principal axes of all differences between the names of two groups."""

from dataclasses import dataclass

import numpy as np

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import DegenerateSubspaceError, ExpressionError
from unslant.numerics.linalg import with_fixed_signs
from unslant.subspaces.estimator import subspace_estimator
from unslant.subspaces.fitting import group_sets, mean_length, oriented
from unslant.subspaces.subspace import Subspace
from unslant.vectors import WordVectors


@subspace_estimator("names", cites="dawkins-2021")
@dataclass(frozen=True)
class NamesDifferences:
    """Principal axes of f − m over all pairs of names f, m, with shares of variance as weights.

    The pairs are never formed. With F, M the centred names and δ the difference of their means,
    the second moments of all n_f·n_m differences are n_m·F'F + n_f·M'M + n_f·n_m·δδ'; centring
    the differences drops the last term, which holds the very direction that separates the groups.
    So they are not centred by default. Each axis points to the first group's mean.
    """

    k: int = 4
    centred: bool = False

    def fit(self, vectors: WordVectors, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the subspace."""
        if self.k < 1:
            raise ExpressionError(f'The "k" parameter of names must be at least 1. Got {self.k}.')
        sets, a, b = group_sets(vectors, concept, "names", "", policy, "names")
        first, second = sets.matrix(a), sets.matrix(b)
        difference = first.mean(axis=0) - second.mean(axis=0)
        spread_a, spread_b = first - first.mean(axis=0), second - second.mean(axis=0)
        pairs = len(first) * len(second)
        moments = len(second) * spread_a.T @ spread_a + len(first) * spread_b.T @ spread_b
        if not self.centred:
            moments += pairs * np.outer(difference, difference)
        values, axes = np.linalg.eigh(moments)
        values, axes = np.maximum(values[::-1], 0.0), with_fixed_signs(axes[:, ::-1].T)
        name = f"names(k={self.k}{', centred=true' if self.centred else ''})"
        if self.k > len(values) or values[self.k - 1] <= 1e-12 * values[0]:
            raise DegenerateSubspaceError(
                f"{name} asks for {self.k} components, but the names give fewer independent "
                f"ones. Ask for fewer, or add names."
            )
        scale = (mean_length(first) + mean_length(second)) / 2
        subspace = Subspace(
            basis=axes[: self.k],
            estimator=name,
            strength=float(np.sqrt(values[self.k - 1] / pairs) / scale),
            explained=tuple((values / values.sum())[:10].tolist()),
            words=sets.uses,
        )
        return oriented(subspace, difference)
