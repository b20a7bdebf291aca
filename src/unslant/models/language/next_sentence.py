"""A model with a next-sentence head as what says whether one sentence follows another."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.record import Facts
from unslant.models.language.likelihood import WithHead
from unslant.models.language.passes import TOKENS_IN_A_BATCH

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

Array = NDArray[np.float64]


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
    """The first output of the head less the second; each distinct pair is read once.

    Pairs of equal length share a batch, so that nothing is padded, and the last block is computed
    for [CLS] only, which is all that the head reads.
    """
    import torch

    asked = list(zip(firsts, seconds, strict=True))
    distinct = list(dict.fromkeys(asked))
    pieces = model.tokens.pairs(*map(list, zip(*distinct, strict=True))) if distinct else []
    lengths: dict[int, list[int]] = {}
    for row, item in enumerate(pieces):
        lengths.setdefault(len(item.ids), []).append(row)
    network = model.head("next-sentence")
    found = np.empty(len(distinct))
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        stack.enter_context(model.intervening(network, [0]))
        for length, rows in sorted(lengths.items()):
            size = max(1, TOKENS_IN_A_BATCH // length)
            for start in range(0, len(rows), size):
                chosen = rows[start : start + size]
                ids, parts = (
                    torch.tensor([getattr(pieces[row], name) for row in chosen])
                    for name in ("ids", "parts")
                )
                logits: Any = network(input_ids=ids, token_type_ids=parts).logits.double()
                found[chosen] = (logits[:, 0] - logits[:, 1]).numpy()
    by_pair = dict(zip(distinct, found.tolist(), strict=True))
    return np.array([by_pair[pair] for pair in asked], dtype=np.float64)
