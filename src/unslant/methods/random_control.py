"""The control: the effect of removing any direction."""

from dataclasses import dataclass
from typing import Annotated

from unslant.concepts import Concept
from unslant.core.parameters import at_least
from unslant.methods.linear import without
from unslant.methods.method import ANY_VECTORS, FitSetting, Fitted, debiaser
from unslant.subspaces import estimate
from unslant.vectors import WordVectors


@debiaser(
    "random",
    cites="dev-2020",
    guarantees={"removes-subspace", "idempotent", "linear", "needs-no-words"},
    acts_on=ANY_VECTORS,
)
@dataclass(frozen=True, kw_only=True)
class RandomControl:
    """Remove ``k`` random directions from every word: the control that a method has to beat."""

    seed: Annotated[int, at_least(0)] = 0
    k: Annotated[int, at_least(1)] = 1

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Draw the directions; the concept is not used."""
        drawn = f"random(seed={self.seed}, k={self.k})"
        return without(estimate(drawn, vectors, concept, setting.policy))
