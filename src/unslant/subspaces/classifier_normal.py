"""The normal of a linear classifier between two groups."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.parameters import above
from unslant.numerics.linalg import safe_norm, unit
from unslant.subspaces.estimator import subspace_estimator
from unslant.subspaces.fitting import group_sets, mean_length
from unslant.subspaces.subspace import WEAKEST, Subspace
from unslant.vectors import Space


@subspace_estimator("classifier-normal", cites="rathore-2021")
@dataclass(frozen=True)
class ClassifierNormal:
    """Weight vector of a linear support vector machine that separates two groups.

    Words are chosen as for ``two-means`` and scaled by their mean length before training, so that
    ``c`` means the same in every space.
    """

    first: str = "names"
    second: str = ""
    c: Annotated[float, above(0)] = 1.0

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the direction."""
        from sklearn.svm import SVC

        by = "classifier-normal"
        sets, a, b = group_sets(space, concept, self.first, self.second, policy, by)
        rows = np.concatenate([sets.matrix(a), sets.matrix(b)])
        labels = np.repeat([1, -1], [len(sets.matrix(a)), len(sets.matrix(b))])
        scale = mean_length(rows)
        name = f"{by}({', '.join(filter(None, (self.first, self.second)))})"
        apart = safe_norm(rows[labels == 1].mean(axis=0) - rows[labels == -1].mean(axis=0))
        if apart < WEAKEST * scale:
            raise DegenerateSubspaceError(
                f"{name} gives no direction: the two groups have the same mean up to rounding."
            )
        normal = SVC(kernel="linear", C=float(self.c)).fit(rows / scale, labels).coef_[0]
        if safe_norm(normal) == 0.0:
            raise DegenerateSubspaceError(f"{name} found no direction that separates the groups.")
        direction = unit(normal)
        gap = rows[labels == 1].mean(axis=0) - rows[labels == -1].mean(axis=0)
        return Subspace(
            basis=direction[None],
            estimator=name,
            strength=float(abs(gap @ direction) / scale),
            explained=(1.0,),
            words=sets.uses,
        )
