"""Double-Hard Debias: remove a frequency direction before the attribute direction."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import ExpressionError
from unslant.core.parameters import at_least
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.erasers import EachVector, LowRank
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.methods.specific_words import pair_subspace
from unslant.numerics.linalg import mean_and_axes
from unslant.subspaces.most_biased import FEWEST, BiasedWords, most_biased
from unslant.subspaces.subspace import Subspace
from unslant.vectors import WordVectors

# How well two clusters of vectors agree with two groups.


def agreement_of_two_clusters(
    rows: NDArray[np.floating[Any]], is_first: NDArray[np.bool_], state: int
) -> float:
    """max(a, 1 − a) for the accuracy a of k-means with k = 2; 0.5 is chance for equal sides."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    if not (rows != rows[0]).any():  # one cluster, in which the larger side is right
        agreement = float(is_first.mean())
    else:
        # One thread: with few rows there is little to share out, and threads that wait for each
        # other at every step are slow where other programs keep the processor busy.
        with threadpool_limits(1):
            clusters = KMeans(2, n_init=10, random_state=state).fit_predict(rows)
        agreement = float((clusters == is_first).mean())
    return max(agreement, 1 - agreement)


@debiaser(
    "double-hard",
    cites="wang-2020",
    guarantees={"removes-subspace", "affine", "needs-no-words"},
    acts_on=words_only("removes the mean and a principal component of a whole vocabulary"),
    misleads="The component is chosen by the same clustering that is often used to evaluate "
    "the method, so evaluate it with another test or other words. Words that carry "
    "the attribute by definition lose it too.",
)
class DoubleHard:
    """Remove the principal component that hides the attribute most, then the attribute.

        w' = w − μ − (u·w) u,  w'' = w' − (w'·g) g
        u = the principal component after which k-means separates the most biased words worst

    μ is the mean of all vectors, u one of their first ``candidates`` principal components, and g
    the direction of the definitional pairs (or another ``subspace``), estimated again on w'. The
    most biased words, ``n`` per side, are plain words among the first ``vocabulary``, and their
    bias is along the concept's own direction. ``component`` selects one (from 1) instead of the
    search.

    As published, u·w uses w before μ is subtracted, so every word keeps the same part −(u·μ) u;
    ``centred=true`` uses w − μ. Also as published, the pairs of w' keep their lengths (Hard Debias
    scales them to length 1), which affects the choice of the component.
    """

    subspace: str = ""
    candidates: Annotated[int, at_least(1)] = 20
    component: Annotated[int, at_least(0)] = 0
    n: Annotated[int, at_least(FEWEST)] = 1000
    vocabulary: Annotated[int, at_least(1)] = 50_000
    centred: bool = False
    seed: Annotated[int, at_least(0)] = 0

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Try each component on the most biased words."""
        self._check(vectors, concept)
        first = self._direction(vectors, concept, setting.policy)
        biased = most_biased(
            vectors,
            concept,
            setting.policy,
            by="double-hard",
            subspace="",
            n=self.n,
            vocabulary=self.vocabulary,
        )
        report = setting.progress
        mean, axes, _ = mean_and_axes(
            vectors.matrix,
            (lambda done, total: report("Finding components", done, total)) if report else None,
        )
        state = int(generator(self.seed, "double-hard").integers(2**31))
        numbers = [self.component] if self.component else range(1, self.candidates + 1)
        numbers = [number for number in numbers if number <= vectors.dim]
        few = _words_of(first, vectors, setting.policy)
        scores: dict[int, float] = {}
        found: dict[int, tuple[Subspace, LowRank]] = {}
        for done, number in enumerate(numbers, start=1):
            axis = axes[number - 1]
            offset = -mean + (mean @ axis) * axis if self.centred else -mean
            moved = _moved(few, LowRank(axis[None], axis[None], offset))
            subspace = self._direction(moved, concept, setting.policy)
            found[number] = subspace, _both_removed(axis, subspace.basis, offset)
            scores[number] = _agreement(vectors, biased, found[number][1], state)
            if report:
                report("Trying components", done, len(numbers))
        best = min(scores, key=lambda number: (scores[number], number))
        subspace, change = found[best]
        warnings = (*subspace.warnings, *biased.warnings)
        if not self.component and len(numbers) < self.candidates:
            warnings += (f"the vectors have only {len(numbers)} components to try",)
        return Fitted(
            steps=(EachVector(change),),
            removed=subspace.basis,
            words=(*first.words, *biased.uses),
            details={
                "subspace": subspace.estimator,
                "component": best,
                "clustering-accuracy-before": _agreement(vectors, biased, None, state),
                "clustering-accuracy-after": scores[best],
                "clustering-accuracy-by-component": ", ".join(
                    f"{number}: {score:.4f}" for number, score in scores.items()
                ),
                "words-a-side": len(biased) // 2,
            },
            warnings=tuple(dict.fromkeys(warnings)),
        )

    def _direction(self, vectors: WordVectors, concept: Concept, policy: WordPolicy) -> Subspace:
        return pair_subspace(self.subspace, vectors, concept, policy, unit_length=False)

    def _check(self, vectors: WordVectors, concept: Concept) -> None:
        if len(concept.groups) != 2:
            raise ExpressionError(
                f"double-hard separates the words of two groups, but {concept.name} has "
                f"{len(concept.groups)} groups. Use a concept with two."
            )
        if self.component > vectors.dim:
            raise ExpressionError(
                f'The "component" parameter of double-hard must be between 1 and {vectors.dim} for '
                f"{vectors.name}, or 0 to choose one. Got {self.component} instead."
            )


def _words_of(subspace: Subspace, vectors: WordVectors, policy: WordPolicy) -> WordVectors:
    """The few vectors that an estimate was made from, so that it can be repeated on them."""
    used = [word for use in subspace.words for word in use.used]
    forms = vectors.lookup(used, policy.case).forms
    return vectors.only(forms or [vectors.words[0]])  # a random direction uses no word


def _moved(vectors: WordVectors, change: LowRank) -> WordVectors:
    rows = change.apply(vectors.matrix.astype(np.float64)).astype(np.float32)
    return WordVectors(vectors.words, rows, vectors.lineage)


def _both_removed(axis: Array, basis: Array, offset: Array) -> LowRank:
    """Remove the axis, add the offset, then remove the subspace, as one map.

    (I − uu')(I − G'G) = I − u(u − G'Gu)' − G'G.
    """
    rest = axis - (basis @ axis) @ basis
    offset = offset - (offset @ basis.T) @ basis
    return LowRank(np.vstack([axis, basis]), np.vstack([rest, basis]), offset)


def _agreement(
    vectors: WordVectors, biased: BiasedWords, change: LowRank | None, state: int
) -> float:
    rows = vectors.matrix[biased.rows].astype(np.float64)
    after = rows if change is None else change.apply(rows)
    return agreement_of_two_clusters(after, biased.is_positive, state)
