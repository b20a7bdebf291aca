"""The control: the effect of removing any direction."""

from dataclasses import dataclass

from unslant.concepts import Concept
from unslant.methods.linear import without
from unslant.methods.method import FitSetting, Fitted, debiaser
from unslant.subspaces import estimate
from unslant.vectors import WordVectors


@debiaser(
    "random",
    cites="dev-2020",
    guarantees={"removes-subspace", "idempotent", "linear", "needs-no-words"},
)
@dataclass(frozen=True, kw_only=True)
class RandomControl:
    """Remove ``k`` random directions from every word: the control that a method has to beat."""

    seed: int = 0
    k: int = 1

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Draw the directions; the concept is not used."""
        drawn = f"random(seed={self.seed}, k={self.k})"
        return without(estimate(drawn, vectors, concept, setting.policy))
