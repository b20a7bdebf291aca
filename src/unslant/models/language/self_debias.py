"""Self-Debias for scoring: lower the probabilities that a bias-inducing prompt raises."""

import hashlib
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.record import Facts
from unslant.models.language.distributions import TextGap, in_parts, prompted, whole_distributions
from unslant.models.language.span_likelihood import MarkedLikelihood
from unslant.models.language.tokens import Spelled
from unslant.predictors.protocols import Masking


class SelfDebiased:
    """p′(w) ∝ p(w) · max(floor, exp(−decay · max(0, p_biased(w) − p(w)))).

    p_biased is the model's distribution at the same place with a prompt before the text that asks
    for the bias; with several prompts, the largest for each w. Every prediction of a piece is
    changed in this way, in a masked model as in a decoder (Schick, Udupa and Schütze 2021). The
    prompt's pieces are put before those of the text, so the places of the text move by as many as
    there are, in any tokenizer.
    """

    def __init__(
        self, predictor: MarkedLikelihood, prompts: tuple[str, ...], decay: float, floor: float
    ) -> None:
        if not prompts:
            raise UnslantError("Self-Debias needs at least one prompt.")
        if not (math.isfinite(decay) and decay >= 0 and 0 <= floor <= 1):
            raise UnslantError(
                f"The decay of Self-Debias must be at least 0 and its floor between 0 and 1. Got "
                f"{decay} and {floor}."
            )
        self.predictor, self.prompts, self.decay, self.floor = predictor, prompts, decay, floor
        self.is_causal = predictor.is_causal

    @property
    def name(self) -> str:
        """The model's name with its lineage."""
        return f"{self.predictor.name} + self-debias"

    @property
    def sha256(self) -> str:
        """A hash of the model and the prompts."""
        content = "\n".join([self.predictor.sha256, *self.prompts, f"{self.decay} {self.floor}"])
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def facts(self) -> Facts:
        """Its entry in a record."""
        own: Facts = {"prompts": self.prompts, "decay": self.decay, "floor": self.floor}
        return {**self.predictor.facts, **{f"self-debias-{key}": own[key] for key in own}}

    def pieces(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """How many pieces are marked in each text."""
        return self.predictor.pieces(texts)

    def log_likelihoods(
        self, texts: Sequence[str], masking: Masking = "words"
    ) -> NDArray[np.float64]:
        """One natural logarithm for each text, of the changed probabilities."""
        return self.predictor.answered(texts, masking, self._answers)

    def _answers(self, gaps: Sequence[TextGap]) -> NDArray[np.float64]:
        import torch

        found = []
        for part in in_parts(gaps):
            plain = whole_distributions(self.predictor, part)
            biased = None
            for prompt in self._prompts:
                shifted = [self._prompted(gap, prompt) for gap in part]
                one = whole_distributions(self.predictor, shifted).exp()
                biased = one if biased is None else torch.maximum(biased, one)
            changed = decayed(plain, biased, self.decay, self.floor)
            pieces = torch.tensor([gap.piece for gap in part])
            found.append(changed.gather(1, pieces[:, None])[:, 0].numpy())
        return np.minimum(np.concatenate(found), 0) if found else np.empty(0)

    def _prompted(self, gap: TextGap, prompt: Spelled) -> TextGap:
        longer = prompted(gap, prompt, self.predictor.front)
        most = self.predictor.model.layout.positions
        if len(longer.ids) > min(most, self.predictor.model.tokens.most + self.predictor.is_causal):
            raise UnslantError(
                f"A text of {len(gap.ids):,} pieces and a prompt of {len(prompt):,} are more than "
                f"{self.predictor.name} reads. Leave out the text, or shorten the prompt."
            )
        return longer

    @cached_property
    def _prompts(self) -> list[Spelled]:
        """The pieces of the prompts, without the signs that the tokenizer adds to a text."""
        found = []
        for pieces in self.predictor.model.tokens.of(self.prompts):
            front, back = pieces.added
            found.append(pieces.ids[front : len(pieces.ids) - back])
        return found

    def __repr__(self) -> str:
        return f"<SelfDebiased {self.name}>"


def decayed(plain: Any, biased: Any, decay: float, floor: float) -> Any:
    """The changed logarithms (rows × vocabulary) from the plain ones and biased probabilities."""
    excess = (biased - plain.exp()).clamp_min(0)
    factor = (-decay * excess).exp().clamp_min(floor)
    return (plain + factor.log()).log_softmax(dim=-1)
