"""Heads on an encoder as a task of the trainer."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unslant.core.errors import UnslantError
from unslant.core.seeds import generator
from unslant.models.head_training.running_text import (
    Ids,
    Marks,
    PairBatch,
    RunningText,
    pair_batches,
)
from unslant.models.head_training.settings import HeadTraining
from unslant.models.language.likelihood import gap_piece
from unslant.models.language.weights import built, planned
from unslant.models.training.adapters import free
from unslant.models.training.schedule import Tuned, computing_in
from unslant.models.training.trainer import TrainingTask

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


# An encoder with language-model heads that may be new; only for training, never for results.

KIND = "bert"
_INITIAL = 0.02


def with_heads(model: "TransformerModel", how: HeadTraining) -> nn.Module:
    """The network with both heads; missing arrays are drawn at random, all others are the file's.

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
    """Logits of the masked pieces (pieces × vocabulary), and of the next sentence (pairs × 2)."""
    states, pooled = net.bert(
        input_ids=torch.from_numpy(batch.ids),
        token_type_ids=torch.from_numpy(batch.kinds),
        attention_mask=torch.from_numpy(batch.is_piece.astype("int64")),
    )[:2]
    rows, columns = (torch.from_numpy(part) for part in batch.asked)
    return net.cls.predictions(states[rows, columns]), net.cls.seq_relationship(pooled)


HELD_OUT_PAIRS = 1_000


class HeadTask(TrainingTask[PairBatch]):
    """Train heads, and other tuned weights, on masked pieces and next sentences of a text.

    The last hundredth of the text (1,000 sentences at least, but no more than a tenth) is the test
    set, and as much before it the held-out part that chooses the best round.
    """

    name = "heads"
    objective = "accuracy"

    def __init__(
        self,
        text: RunningText,
        marks: Marks,
        how: HeadTraining,
        build: Callable[[], nn.Module],
        also: RunningText | None = None,
    ) -> None:
        """``also`` is the same text with group words swapped, trained on as well."""
        size = min(max(len(text) // 100, 1_000), len(text) // 10)
        last = len(text) - 2 * size
        self.text = text.part(0, last)
        if also is not None:
            self.text = self.text.then(also.part(0, min(last, len(also) - 2 * size)))
        self.dev, self.test = text.part(last, last + size), text.part(last + size, len(text))
        self.marks, self.how, self._build = marks, how, build

    def build_network(self) -> nn.Module:
        """The network with both heads."""
        return self._build()

    @property
    def steps_in_round(self) -> int:
        """How many batches a round has."""
        return self.how.steps

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, PairBatch]]:
        """Pairs of the text in a random order, each once before any comes again."""
        begins = np.flatnonzero(self.text.follows)
        wanted = self.how.steps * self.how.batch
        firsts = _drawn(begins, (number - 1) * wanted, wanted, seed)
        rng = generator(seed, self.name, f"order {number}")
        for batch in self._pair_batches(self.text, firsts, rng):
            yield len(batch), batch

    def loss(self, network: nn.Module, batch: PairBatch) -> Tensor:
        """The cross-entropy of the masked pieces plus that of the next sentences."""
        with computing_in(self.how.precision):
            pieces, following = answers(network, batch)
        found: Tensor = cross_entropy(pieces.float(), torch.from_numpy(batch.answers))
        return found + cross_entropy(following.float(), torch.from_numpy(batch.is_random))

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        """How often the network is right on the part of the text that chooses the round."""
        return self._judged(network, self.dev, "held out")

    def evaluate_test(self, network: nn.Module) -> dict[str, float]:
        """How often it is right on the part that chose nothing."""
        return self._judged(network, self.test, "test")

    def _judged(self, network: nn.Module, text: RunningText, name: str) -> dict[str, float]:
        """Masked and next-sentence accuracy, and their mean; the questions are always the same."""
        rng = generator(0, self.name, name)
        begins = np.flatnonzero(text.follows)
        firsts = rng.permutation(begins)[:HELD_OUT_PAIRS]
        right, asked = np.zeros(2), np.zeros(2)
        for batch in self._pair_batches(text, firsts, rng):
            for place, (logits, truth) in enumerate(
                zip(answers(network, batch), (batch.answers, batch.is_random), strict=True)
            ):
                right[place] += (logits.argmax(1).numpy() == truth).sum()
                asked[place] += len(truth)
        masked, following = (right / asked).tolist()
        return {
            "accuracy": (masked + following) / 2,
            "masked_accuracy": masked,
            "next_accuracy": following,
        }

    def _pair_batches(
        self, text: RunningText, firsts: Ids, rng: np.random.Generator
    ) -> Iterator[PairBatch]:
        return pair_batches(text, self.marks, firsts=firsts, size=self.how.batch, rng=rng)


def _drawn(begins: Ids, start: int, count: int, seed: int) -> Ids:
    """Items ``start`` to ``start + count`` of random orders of all, one after the other."""
    found: list[Ids] = []
    while count:
        turn, place = divmod(start, len(begins))
        order = generator(seed, "heads", f"turn {turn}").permutation(begins)
        part = order[place : place + count]
        found.append(part)
        start, count = start + len(part), count - len(part)
    return np.concatenate(found)
