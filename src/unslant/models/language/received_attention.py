"""How much attention each piece of a text receives, which AULA weighs pieces by."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.models.language.heads import on_shared_base
from unslant.models.language.passes import TOKENS_IN_A_BATCH
from unslant.models.language.weights import network

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


def received_attention(
    model: "TransformerModel", pieces: Sequence[tuple[int, ...]]
) -> list[NDArray[np.float64]]:
    """For each text one number a piece: the mean over layers, heads and pieces that attend to it.

    The numbers of a text sum to 1, with the signs that the tokenizer adds. The fast way to compute
    attention gives no weights, so the network is built once more in the slow way, on the same
    arrays; interventions are in effect.
    """
    import torch

    slow = on_shared_base(network(model.folder, model.layout, "masked"), model.network)
    slow.set_attn_implementation("eager")
    found: dict[tuple[int, ...], NDArray[np.float64]] = {}
    by_length: dict[int, list[tuple[int, ...]]] = {}
    for ids in dict.fromkeys(pieces):
        by_length.setdefault(len(ids), []).append(ids)
    for length, texts in sorted(by_length.items()):
        size = max(1, TOKENS_IN_A_BATCH // length)
        for start in range(0, len(texts), size):
            chosen = texts[start : start + size]
            with torch.inference_mode(), model.intervening(slow):
                given = slow(input_ids=torch.tensor(chosen), output_attentions=True).attentions
            if not given or any(one is None for one in given):
                raise UnslantError(
                    f"{model.name} gives no attention weights, so pieces cannot be weighted by "
                    f"them. Use AUL without weights."
                )
            mean = torch.stack([one.double().mean(dim=(1, 2)) for one in given]).mean(dim=0)
            found |= dict(zip(chosen, mean.numpy(), strict=True))
    return [found[ids] for ids in pieces]
