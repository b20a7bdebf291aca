"""GBDD: remove the direction shared by all differences between two lists."""

from dataclasses import replace
from itertools import combinations
from typing import Annotated

import numpy as np

from unslant.concepts import Concept, WordPolicy, WordSets, resolve
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.parameters import at_least
from unslant.measures.registry import SPACE
from unslant.methods.linear import without
from unslant.methods.method import ANY_VECTORS, FitSetting, Fitted, debiaser
from unslant.numerics.linalg import axes_of_moments, difference_moments
from unslant.subspaces.subspace import Subspace, group_sets, oriented
from unslant.vectors import Space


@debiaser(
    "gbdd",
    cites="lauscher-2020",
    guarantees={"removes-subspace", "idempotent", "linear", "needs-no-words"},
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="If the words of a list differ more from each other than from the other list, g "
    "follows the spread inside the lists. Like every projection it brings direct "
    "bias along g to 0, while a classifier or the neighbours may still reveal the "
    "attribute.",
)
class Gbdd:
    """General bias direction debiasing: remove the main axis of all differences t̂₁ − t̂₂.

        w' = w − (w·g) g,  g = top right-singular vector of the differences t̂₁ − t̂₂

    The differences are those between every word of one list and every word of the other, all of
    length 1 and not centred. Every word changes; with ``k`` the first k such axes are removed.
    ``first`` is ``words`` or ``names`` of the concept's groups, or the name of a list, with
    ``second`` the other list. With more than two groups, the differences between all pairs of
    groups count. The authors learn g from lists that they extend with neighbours and from which
    they remove the original words; name such lists to do the same. They also scale every word to
    length 1 first, which changes no cosine.

    ``separation`` in the details is the cosine of g with the difference of the means, for two
    lists; it should be near 1.
    """

    first: str = "words"
    second: str = ""
    k: Annotated[int, at_least(1)] = 1

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Find the axes of all differences."""
        sets, sides = self._sides(vectors, concept, setting.policy)
        units = [sets.directions(side) for side in sides]
        pairs = sum(len(a) * len(b) for a, b in combinations(units, 2))
        moments = sum(difference_moments(a, b) for a, b in combinations(units, 2))
        axes, values = axes_of_moments(np.asarray(moments))
        name = f"gbdd({', '.join(filter(None, (self.first, self.second)))}, k={self.k})"
        if self.k > len(values) or values[self.k - 1] <= 1e-12 * values[0]:
            raise DegenerateSubspaceError(
                f"{name} requests {self.k} directions, but the words of {', '.join(sides)} give "
                f"fewer independent differences. Request fewer, or add words."
            )
        subspace = Subspace(
            basis=axes[: self.k],
            estimator=name,
            strength=float(np.sqrt(values[self.k - 1] / pairs)),
            explained=tuple((values / values.sum())[:10].tolist()),
            words=sets.uses,
        )
        details: dict[str, float | int | str | None] = {"differences": pairs}
        details["share-of-the-first-axis"] = subspace.explained[0]
        if len(units) == 2:
            gap = units[0].mean(axis=0) - units[1].mean(axis=0)
            subspace = oriented(subspace, gap)
            length = float(np.linalg.norm(gap))
            details["separation"] = float(subspace.basis[0] @ gap) / length if length else 0.0
        fitted = without(subspace)
        return replace(fitted, details={**fitted.details, **details})

    def _sides(
        self, vectors: Space, concept: Concept, policy: WordPolicy
    ) -> tuple[WordSets, tuple[str, ...]]:
        """The lists to compare: two by name, or those of all groups."""
        source = {"names": concept.names, "words": concept.words}.get(self.first, {})
        groups = concept.groups
        if not self.second and len(groups) > 2 and all(group in source for group in groups):
            lists = {group: source[group].all_words for group in groups}
            return resolve(vectors, lists, policy), groups
        sets, a, b = group_sets(vectors, concept, self.first, self.second, policy, "gbdd")
        return sets, (a, b)
