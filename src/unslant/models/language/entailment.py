"""An encoder fine-tuned on pairs of sentences as an inference model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.datasets.nli.pairs import LABELS
from unslant.models.language.likelihood import WithHead
from unslant.models.language.sequence_logits import pair_logits

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


class EntailmentPredictor(WithHead):
    """Probabilities of entailment, neutral and contradiction from the head of a fine-tuned encoder.

    Both sentences are read together, so every pair has a pass of its own: ``reads_pairs`` tells
    probes that millions of pairs are too many.
    """

    head = "sequence"
    reads_pairs = True

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self._columns = _columns(model)

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> NDArray[np.float32]:
        """One row (entailment, neutral, contradiction) for each pair."""
        from scipy.special import softmax

        logits = pair_logits(self.model, self.head, premises, hypotheses, marked=False)
        return np.asarray(softmax(logits[:, self._columns], axis=1), dtype=np.float32)


def _columns(model: "TransformerModel") -> list[int]:
    """Which output means what, by the names in the configuration: they are in no fixed order."""
    found = {label.lower(): number for number, label in enumerate(model.folder.labels())}
    if set(found) != set(LABELS):
        shown = ", ".join(found) or "no labels"
        raise UnslantError(
            f"{model.original.name} is no inference model: its configuration (id2label) names "
            f"{shown}; expected {', '.join(LABELS)}. Which output means what cannot be guessed. "
            f"Train one: unslant train nli MODEL --data SNLI -o OUT"
        )
    return [found[label] for label in LABELS]
