"""Ablation: replace every vector by a constant, which removes its information."""

from typing import Literal

import numpy as np

from unslant.concepts import Concept, resolve
from unslant.core.example import Example
from unslant.erasers import Constant, EachVector
from unslant.measures.registry import SPACE
from unslant.methods.method import FitSetting, Fitted, debiaser, places_only
from unslant.vectors import Space


@debiaser(
    "ablate",
    cites="michel-2019",
    example=Example(call="ablate@layer:-1.value:0", of="MODEL"),
    guarantees={"affine", "idempotent", "needs-no-words"},
    acts_on=places_only("makes all vectors the same, so nothing would be left to measure"),
    needs=SPACE,
    misleads="It removes all that the place says, about the concept or not, so a fall of a "
    "bias score may only mean that the model understands less. Other heads can take "
    "over what the head did.",
)
class Ablate:
    """Replace every vector at a place by one: the mean, or zero.

        x' = mean of x over the concept's sentences, or 0

    At a head of attention, as in ``ablate@layer:-2.value:7``, the head has no say any more:
    its output no longer depends on its input. The mean (``to``) is over the sentences of the
    concept; zero takes away what the head always adds as well, which is a larger change and less
    like anything that the model knows. It shows what a head does; it is not a debiasing method.
    """

    to: Literal["mean", "zero"] = "mean"

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Find the mean over the words of all groups, each group counting the same."""
        groups = {group: concept.words[group].all_words for group in concept.groups}
        sets = resolve(vectors, groups, setting.policy)
        means = [sets.matrix(group).mean(axis=0) for group in groups]
        value = np.mean(means, axis=0) if self.to == "mean" else np.zeros(vectors.dim)
        return Fitted(
            steps=(EachVector(Constant(value)),),
            words=sets.uses,
            details={"length": float(np.linalg.norm(value))},
        )
