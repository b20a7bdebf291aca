"""A model with a next-sentence head as what says whether one sentence follows another."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unslant.core.record import Facts
from unslant.models.language.likelihood import WithHead
from unslant.models.language.sequence_logits import pair_logits

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

from unslant.core.types import Array


class NextSentencePredictor(WithHead):
    """log p(next) − log p(not next) from the head of BERT's pretraining, or one trained later.

    Both sentences are read together, as the tokenizer joins them, with the parts of the pair
    marked. Which of the two outputs means "next" is found out by a check on held-out sentences
    (``next_sentence_check.py``), because models differ and their names say nothing about it.
    """

    head = "next-sentence"

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self.check = model.next_sentence_check

    @property
    def facts(self) -> Facts:
        """What a record says about the model, and how the check ended."""
        return {**super().facts, **self.check.facts}

    def score(self, firsts: Sequence[str], seconds: Sequence[str]) -> Array:
        """The log-odds of each pair."""
        odds = first_output_odds(self.model, firsts, seconds)
        return odds if self.check.column == 0 else -odds


def first_output_odds(
    model: "TransformerModel", firsts: Sequence[str], seconds: Sequence[str]
) -> Array:
    """The first output of the head less the second."""
    logits = pair_logits(model, "next-sentence", firsts, seconds)
    found: Array = logits[:, 0] - logits[:, 1]
    return found
