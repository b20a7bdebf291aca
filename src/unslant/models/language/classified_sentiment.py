"""An encoder fine-tuned to tell positive from negative texts as a sentiment scorer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.models.language.likelihood import WithHead
from unslant.models.language.sequence_logits import text_logits

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

_POSITIVE = ("positive", "pos")
_NEGATIVE = ("negative", "neg")
_NEUTRAL = ("neutral", "neu")


class SentimentPredictor(WithHead):
    """p(positive) − p(negative) from the head of a fine-tuned encoder, from −1 to 1."""

    head = "sequence"

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self._signs = _signs(model)

    def score(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One number for each text."""
        from scipy.special import softmax

        return np.asarray(softmax(text_logits(self.model, self.head, texts), axis=1) @ self._signs)


def _signs(model: "TransformerModel") -> NDArray[np.float64]:
    """1 for the output that means positive, −1 for negative, 0 for neutral: by their names."""
    labels = [label.lower() for label in model.folder.labels()]
    found = np.array([(label in _POSITIVE) - (label in _NEGATIVE) for label in labels], float)
    known = {*_POSITIVE, *_NEGATIVE, *_NEUTRAL}
    if not set(labels) <= known or found.max(initial=0) < 1 or found.min(initial=0) > -1:
        shown = ", ".join(labels) or "no labels"
        raise UnslantError(
            f"{model.original.name} is no sentiment classifier: its configuration (id2label) names "
            f"{shown}; expected positive and negative, and perhaps neutral. Which output means "
            f"what cannot be guessed. Train one: unslant train sentiment MODEL --data FILE -o OUT"
        )
    return found
