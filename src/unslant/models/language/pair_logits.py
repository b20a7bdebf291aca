"""What a head gives for pairs of sentences that are read together."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unslant.models.language.passes import TOKENS_IN_A_BATCH
from unslant.models.language.weights import Head

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


def pair_logits(
    model: "TransformerModel",
    head: Head,
    firsts: Sequence[str],
    seconds: Sequence[str],
    *,
    marked: bool = True,
) -> NDArray[np.float64]:
    """The outputs of a head for each pair; each distinct pair is read once.

    Pairs of equal length share a batch, so that nothing is padded. Unless the head reads every
    piece, the last block is computed for [CLS] only. With ``marked``, a tokenizer that does not say
    which sentence is the second is refused.
    """
    import torch

    asked = list(zip(firsts, seconds, strict=True))
    distinct = {pair: number for number, pair in enumerate(dict.fromkeys(asked))}
    network = model.head(head)
    if not distinct:
        return np.empty((0, int(network.config.num_labels)))
    pieces = model.tokens.pairs(*map(list, zip(*distinct, strict=True)), marked=marked)
    lengths: dict[int, list[int]] = {}
    for row, item in enumerate(pieces):
        lengths.setdefault(len(item.ids), []).append(row)
    reads_all = getattr(network.config, "classifier_pooling", "cls") != "cls"
    has_parts = getattr(network.config, "type_vocab_size", 0) > 1
    found: list[Any] = [None] * len(distinct)
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        stack.enter_context(model.intervening(network, None if reads_all else [0]))
        for length, rows in sorted(lengths.items()):
            size = max(1, TOKENS_IN_A_BATCH // length)
            for start in range(0, len(rows), size):
                chosen = rows[start : start + size]
                given = {"input_ids": torch.tensor([pieces[row].ids for row in chosen])}
                if has_parts:
                    given["token_type_ids"] = torch.tensor([pieces[row].parts for row in chosen])
                logits = network(**given).logits.double().numpy()
                for row, values in zip(chosen, logits, strict=True):
                    found[row] = values
    return np.stack(found)[[distinct[pair] for pair in asked]]
