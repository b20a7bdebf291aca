"""One direction between two groups or words: by means, by a classifier, or by a single pair."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.core.errors import DegenerateSubspaceError, quoted
from unslant.core.example import Example
from unslant.core.parameters import above
from unslant.numerics.linalg import safe_norm, unit
from unslant.subspaces.estimator import subspace_estimator
from unslant.subspaces.subspace import WEAKEST, Subspace, group_sets, mean_length
from unslant.vectors import Space


@subspace_estimator(
    "two-means",
    cites="dev-phillips-2019",
    misleads="It contains everything in which the two lists differ on average, such as "
    "frequency or topic, and a few long vectors can decide a mean.",
)
@dataclass(frozen=True)
class TwoMeans:
    """Difference of the means of two sets of words, which need not be paired.

        g = (mean(A) − mean(B))/‖mean(A) − mean(B)‖

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
        scaled = "unit_means=true" if self.unit_means else ""
        name = f"two-means({', '.join(filter(None, (self.first, self.second, scaled)))})"
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


@subspace_estimator(
    "classifier-normal",
    cites="rathore-2021",
    misleads="With few words in many dimensions many boundaries separate the groups, so the "
    "direction depends on single words and on c.",
)
@dataclass(frozen=True)
class ClassifierNormal:
    """Weight vector of a linear support vector machine that separates two groups.

        g = θ/‖θ‖,  θ the weights of a linear support vector machine, A against B

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
        cost = f"c={self.c:g}" if self.c != 1 else ""
        name = f"{by}({', '.join(filter(None, (self.first, self.second, cost)))})"
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


@subspace_estimator(
    "pair-difference",
    cites="bolukbasi-2016",
    example=Example(call="pair-difference(she, he)"),
    misleads="A single pair always differs in more than the attribute: in frequency, use and "
    "other meanings. Compare it with the direction of several pairs.",
)
@dataclass(frozen=True)
class PairDifference:
    """Difference of two words, as in ``pair-difference(she, he)``.

        g = (a − b)/‖a − b‖

    a is ``first`` and b is ``second``.
    """

    first: str
    second: str

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the direction."""
        name = f"pair-difference({self.first}, {self.second})"
        both = WordPolicy(missing="fail", case=policy.case)  # a pair needs both words
        lists = {self.first: [self.first], self.second: [self.second]}
        if policy.missing != "fail":
            gone = space.lookup([self.first, self.second], policy.case).missing
            if gone:
                raise DegenerateSubspaceError(
                    f"{name} gives no direction: {quoted(gone)} is missing from {space.name}. "
                    f'Use another direction, such as subspace="two-means(names)".'
                )
        sets = resolve(space, lists, both)
        a, b = sets.matrix(self.first)[0], sets.matrix(self.second)[0]
        for word, vector in ((self.first, a), (self.second, b)):
            if not vector.any():
                raise DegenerateSubspaceError(
                    f'{name} gives no direction: "{word}" has the zero vector in {space.name}. '
                    f'Use another direction, such as subspace="two-means(names)".'
                )
        length = safe_norm(a - b)
        if length == 0.0:
            raise DegenerateSubspaceError(
                f'{name} gives no direction: "{self.first}" and "{self.second}" have the same '
                f"vector in {space.name}."
            )
        return Subspace(
            basis=unit(a - b)[None],
            estimator=name,
            strength=length / (mean_length(sets.matrix(self.first)) / 2
                               + mean_length(sets.matrix(self.second)) / 2),
            explained=(1.0,),
            words=sets.uses,
        )  # fmt: skip
