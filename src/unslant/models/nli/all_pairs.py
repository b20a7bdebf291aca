"""Every premise with every hypothesis of the same context, for models that read context.

Of a pair, only attention between its sentences, the second layer of compare and aggregate are its
own; what its sentences are by themselves has been read once. All sentences of a side are of one
length, so that there is no padding.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import linear

from unslant.models.nli.judging import JudgingNetwork, Padded

_PAIRS = 256
"""Pairs judged at once: few enough to stay in a core's cache, enough for fast products."""


@dataclass(frozen=True)
class ReadSentences:
    """What the words of sentences have become, as contexts × sentences × words × hidden."""

    attend: Tensor
    own: Tensor
    aligned: Tensor

    @classmethod
    def read(cls, network: JudgingNetwork, rows: Tensor, places: Tensor) -> "ReadSentences":
        """Sentences whose words are ``places`` in ``rows``: contexts × sentences × words."""
        flat = places.reshape(-1, places.shape[2])
        states = network.read(rows, Padded(flat, torch.ones_like(flat, dtype=torch.bool)))
        parts = (states.attend, states.own, states.aligned)
        return cls(*(part.view(*places.shape, -1) for part in parts))

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Contexts, sentences of each, words of each, hidden size."""
        contexts, sentences, words, hidden = self.own.shape
        return contexts, sentences, words, hidden

    def part(self, contexts: slice, sentences: slice) -> "ReadSentences":
        """Some of the sentences of some of the contexts."""
        parts = (self.attend, self.own, self.aligned)
        return ReadSentences(*(part[contexts, sentences] for part in parts))


def judge_all(
    network: JudgingNetwork, premises: ReadSentences, hypotheses: ReadSentences
) -> Tensor:
    """The probabilities as contexts × premises × hypotheses × 3."""
    (contexts, height, _, _), width = premises.shape, hypotheses.shape[1]
    answers = premises.own.new_empty((contexts, height, width, 3))
    tall = min(height, max(1, _PAIRS // width))
    deep = max(1, _PAIRS // (width * tall))
    for at in range(0, contexts, deep):
        some = slice(at, at + deep)
        others = hypotheses.part(some, slice(None))
        for top in range(0, height, tall):
            these = slice(top, top + tall)
            answers[some, these] = _judged(network, premises.part(some, these), others)
    return answers


def _judged(network: JudgingNetwork, premises: ReadSentences, hypotheses: ReadSentences) -> Tensor:
    contexts, height, long, hidden = premises.shape
    _, width, wide, _ = hypotheses.shape
    first, second = (side.attend.flatten(1, 2) for side in (premises, hypotheses))
    scores = (first @ second.transpose(1, 2)).view(contexts, height, long, width, wide)
    for_premises = _compared(network, premises, hypotheses, scores.permute(0, 3, 1, 2, 4))
    for_hypotheses = _compared(network, hypotheses, premises, scores.permute(0, 1, 3, 4, 2))
    layer, last = network.aggregate
    half, other_half = layer.weight.split(hidden, dim=1)
    joint = linear(for_hypotheses, other_half, layer.bias)
    joint += linear(for_premises, half).transpose(1, 2)
    return torch.softmax(last(joint.relu_()), dim=3)


def _compared(
    network: JudgingNetwork, these: ReadSentences, others: ReadSentences, scores: Tensor
) -> Tensor:
    """The summed words of each of these, beside each other: contexts × others × these × hidden.

    ``scores`` are contexts × others × these × words of these × words of others.
    """
    contexts, count, long, hidden = these.shape
    wide = others.shape[2]
    weights = torch.softmax(scores, dim=4).reshape(-1, count * long, wide)
    joint = weights @ others.aligned.reshape(-1, wide, hidden)
    joint = joint.view(contexts, -1, count * long, hidden)
    joint += these.own.reshape(contexts, 1, count * long, hidden)
    layer = network.compare[1]
    found = linear(joint.relu_(), layer.weight, layer.bias).relu_()
    return found.view(contexts, -1, count, long, hidden).sum(3)
