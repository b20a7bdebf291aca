"""What a head that classifies gives for texts, or for pairs of texts that are read together."""

from collections.abc import Hashable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import refuse_one_text
from unslant.models.language.passes import TOKENS_IN_A_BATCH
from unslant.models.language.tokens import PairPieces
from unslant.models.language.weights import Head

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

Logits = NDArray[np.float64]
Asked = TypeVar("Asked", bound=Hashable)


def text_logits(model: "TransformerModel", head: Head, texts: Sequence[str]) -> Logits:
    """The outputs of a head for each text; each distinct one is read once."""
    refuse_one_text(texts, model.name)
    distinct, rows = _distinct(texts)
    pieces = [PairPieces(item.ids, (0,) * len(item.ids)) for item in model.tokens.of(distinct)]
    return _logits(model, head, pieces)[rows]


def pair_logits(
    model: "TransformerModel",
    head: Head,
    firsts: Sequence[str],
    seconds: Sequence[str],
    *,
    marked: bool = True,
) -> Logits:
    """The outputs of a head for each pair; each distinct pair is read once.

    With ``marked``, a tokenizer that does not say which sentence is the second is refused.
    """
    distinct, rows = _distinct(list(zip(firsts, seconds, strict=True)))
    first, second = [one for one, _ in distinct], [two for _, two in distinct]
    return _logits(model, head, model.tokens.pairs(first, second, marked=marked))[rows]


def _distinct(asked: Sequence[Asked]) -> tuple[list[Asked], list[int]]:
    """What is asked without repeats, and the place there of each."""
    places = {item: number for number, item in enumerate(dict.fromkeys(asked))}
    return list(places), [places[item] for item in asked]


def _logits(model: "TransformerModel", head: Head, pieces: Sequence[PairPieces]) -> Logits:
    """Texts of equal length share a batch, so that nothing is padded.

    Unless the head reads every piece, the last block is computed for [CLS] only.
    """
    import torch

    network = model.head(head)
    lengths: dict[int, list[int]] = {}
    for row, item in enumerate(pieces):
        lengths.setdefault(len(item.ids), []).append(row)
    reads_all = getattr(network.config, "classifier_pooling", "cls") != "cls"
    has_parts = getattr(network.config, "type_vocab_size", 0) > 1
    found = np.empty((len(pieces), int(network.config.num_labels)))
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        stack.enter_context(model.intervening(network, None if reads_all else [0]))
        for length, rows in sorted(lengths.items()):
            size = max(1, TOKENS_IN_A_BATCH // length)
            for start in range(0, len(rows), size):
                chosen = rows[start : start + size]
                given: dict[str, Any] = {
                    "input_ids": torch.tensor([pieces[row].ids for row in chosen])
                }
                if has_parts:
                    given["token_type_ids"] = torch.tensor([pieces[row].parts for row in chosen])
                found[chosen] = network(**given).logits.double().numpy()
    return found
