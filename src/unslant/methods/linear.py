"""Linear projection: remove a direction or subspace, or random ones as a control."""

from typing import Annotated

from unslant.concepts import Concept
from unslant.core.parameters import at_least
from unslant.erasers import EachVector, projection
from unslant.measures.registry import SPACE
from unslant.methods.method import ANY_VECTORS, FitSetting, Fitted, debiaser
from unslant.subspaces.estimator import estimate
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space


@debiaser(
    "linear",
    cites="dev-phillips-2019",
    guarantees={"removes-subspace", "idempotent", "linear", "needs-no-words"},
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="Direct bias along the removed direction is 0 by construction, which proves "
    "nothing: words that were biased alike stay neighbours, and a classifier "
    "recovers the attribute from what is left (Gonen and Goldberg 2019). Words that "
    "carry the attribute by definition lose it too.",
)
class LinearProjection:
    """Remove a direction or subspace from every word.

        w' = w − Σᵢ (w·gᵢ) gᵢ

    ``subspace`` is any estimator, such as ``"pair-pca(definitional, k=2)"``; without one, the
    concept's own direction is used.
    """

    subspace: str = ""

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Estimate the subspace."""
        return without(estimate(self.subspace or None, vectors, concept, setting.policy))


def without(subspace: Subspace) -> Fitted:
    """The steps that remove a subspace from every word."""
    return Fitted(
        steps=(EachVector(projection(subspace.basis)),),
        removed=subspace.basis,
        words=subspace.words,
        details={"subspace": subspace.estimator, "dimensions-removed": subspace.k},
        warnings=subspace.warnings,
    )


@debiaser(
    "random",
    cites="dev-2020",
    guarantees={"removes-subspace", "idempotent", "linear", "needs-no-words"},
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="It removes no bias by design: a measure that falls as much with a method as "
    "with this one does not show that the method worked. One draw is not enough; "
    "use several seeds.",
)
class RandomControl:
    """Remove ``k`` random directions from every word: the control that a method has to beat.

        w' = w − Σᵢ (w·rᵢ) rᵢ, rᵢ random and orthonormal

    The directions are drawn by ``seed``; with several seeds the spread of the effect shows.
    """

    seed: Annotated[int, at_least(0)] = 0
    k: Annotated[int, at_least(1)] = 1

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Draw the directions; the concept is not used."""
        drawn = f"random(seed={self.seed}, k={self.k})"
        return without(estimate(drawn, vectors, concept, setting.policy))
