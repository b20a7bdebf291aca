"""The control: what taking out any direction does."""

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
    """Take ``k`` random directions out of every word: the control that a method has to beat."""

    seed: int = 0
    k: int = 1

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Draw the directions; the concept plays no part."""
        drawn = f"random(seed={self.seed}, k={self.k})"
        return without(estimate(drawn, vectors, concept, setting.policy))
