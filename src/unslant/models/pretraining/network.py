"""An encoder with language-model heads that may be new; only for training, never for results."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from unslant.core.errors import UnslantError
from unslant.models.language.gap_piece import gap_piece
from unslant.models.language.weights import built, planned
from unslant.models.pretraining.questions import Marks, PairBatch
from unslant.models.pretraining.settings import HeadTraining
from unslant.models.training.freezing import free
from unslant.models.training.tuned import Tuned

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

KIND = "bert"
_INITIAL = 0.02


def with_heads(model: "TransformerModel", how: HeadTraining) -> nn.Module:
    """The network with both heads; arrays that the file lacks are drawn, all others are its own.

    The table of word pieces is also that of the masked head.
    """
    if model.layout.kind != KIND:
        raise UnslantError(
            f"{model.name} is a {model.layout.kind}. Heads can be trained for BERT encoders, whose "
            f"heads other programs know."
        )
    plan = planned(model.folder, model.layout, "pretraining")
    net: nn.Module = built(model.folder, plan)
    for missing in plan.missing:
        value = net.get_parameter(missing)
        with torch.no_grad():
            if value.dim() > 1:
                nn.init.normal_(value, std=_INITIAL)
            else:
                nn.init.constant_(value, 1.0 if missing.endswith("LayerNorm.weight") else 0.0)
    net.cls.predictions.decoder.weight = net.bert.embeddings.word_embeddings.weight
    net.cls.predictions.decoder.bias = net.cls.predictions.bias
    for part in net.modules():
        if isinstance(part, nn.Dropout):
            part.p = how.dropout
    for block in net.bert.encoder.layer:
        block.attention.self.dropout.p = how.attention_dropout
    free(net.bert, list(net.bert.encoder.layer), Tuned.of(how.tune))
    if net.bert.pooler is not None:
        net.bert.pooler.requires_grad_(True)  # the next-sentence head reads it
    return net


def marks_of(model: "TransformerModel") -> Marks:
    """The pieces that frame a pair of sentences, and the one for a gap."""
    framed = model.tokens.of(["a"])[0].ids
    return Marks(begin=framed[0], end=framed[-1], gap=gap_piece(model), pieces=model.layout.pieces)


def answers(net: Any, batch: PairBatch) -> tuple[Tensor, Tensor]:
    """The logits of the asked pieces (asked × vocabulary), and of the next sentence (pairs × 2)."""
    states, pooled = net.bert(
        input_ids=torch.from_numpy(batch.ids),
        token_type_ids=torch.from_numpy(batch.kinds),
        attention_mask=torch.from_numpy(batch.is_piece.astype("int64")),
    )[:2]
    rows, columns = (torch.from_numpy(part) for part in batch.asked)
    return net.cls.predictions(states[rows, columns]), net.cls.seq_relationship(pooled)
