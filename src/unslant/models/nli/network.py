"""Decomposable attention in torch, for training and the plain evaluation of one batch."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from unslant.models.nli.settings import DISTANCES, ElmoShape, Shape

# Attend, compare, aggregate in torch: what every network for pairs does after reading them.

_NEVER = -1e9


@dataclass(frozen=True)
class Padded:
    """Sentences as places in a table of their distinct words, padded with place 0."""

    places: Tensor
    is_word: Tensor


@dataclass(frozen=True)
class States:
    """Word states of sentences: their attention vectors, and their parts of compare."""

    attend: Tensor
    own: Tensor
    aligned: Tensor
    is_word: Tensor


@dataclass(frozen=True, kw_only=True)
class Widths:
    """The widths of a word's state, of its attention vector, and of the comparison."""

    read: int
    attend: int
    compare: int


class JudgingNetwork(nn.Module, ABC):
    """Attend, compare, aggregate; every layer but the last is followed by a ReLU.

    The first layer of compare reads a word and the words aligned to it; it is applied to both
    halves separately, because the half of a word does not depend on what it is compared with.
    """

    rate: float
    wide: int

    def add_judge(self, widths: Widths, rate: float) -> None:
        """The layers after reading; their weights are drawn after those of the reader."""
        self.rate, self.wide = rate, widths.read
        self.attend = two_layers(widths.read, widths.attend, widths.attend)
        self.compare = two_layers(2 * widths.read, widths.compare, widths.compare)
        self.aggregate = two_layers(2 * widths.compare, widths.compare, 3)

    @abstractmethod
    def read(self, rows: Tensor, sentences: Padded) -> States:
        """Each sentence by itself, before it is compared with another."""

    def forward(self, rows: Tensor, premises: Padded, hypotheses: Padded) -> Tensor:
        """The logits of each pair; places of words are those of ``rows``."""
        return self.judge(self.read(rows, premises), self.read(rows, hypotheses))

    def judge(self, premises: States, hypotheses: States) -> Tensor:
        """The logits of each pair of sentences that have been read."""
        scores = premises.attend @ hypotheses.attend.transpose(1, 2)
        sums = [
            self._compared(premises, hypotheses, scores),
            self._compared(hypotheses, premises, scores.transpose(1, 2)),
        ]
        first, last = self.aggregate
        logits: Tensor = last(self.drop(torch.relu(first(self.drop(torch.cat(sums, dim=1))))))
        return logits

    def parts(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Words' attention vectors, and their two parts of the first layer of compare."""
        x = self.drop(x)
        first, second = self.attend
        attend = torch.relu(second(self.drop(torch.relu(first(x)))))
        compare = self.compare[0]
        own, aligned = compare.weight.split(self.wide, dim=1)
        return attend, x @ own.T + compare.bias, x @ aligned.T

    def drop(self, x: Tensor) -> Tensor:
        """Dropout, in training alone."""
        return dropout(x, self.rate, self.training)

    def _compared(self, these: States, others: States, scores: Tensor) -> Tensor:
        weights = softmax_over_words(scores, others.is_word)
        joint = torch.relu(these.own + weights @ others.aligned)
        # One mask for all words of a sentence: drawing one for each takes a quarter of the time.
        joint = joint * self.drop(joint.new_ones(len(joint), 1, joint.shape[2]))
        compared = torch.relu(self.compare[1](joint))
        return (compared * these.is_word[..., None]).sum(1)


def read_both_ways(lstm: nn.LSTM, x: Tensor, is_word: Tensor) -> Tensor:
    """Bidirectional LSTM states of the words of sentences; padding is not read."""
    lengths = is_word.sum(1).cpu()
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(lstm(packed)[0], batch_first=True, total_length=x.shape[1])[0]


def two_layers(first: int, hidden: int, last: int) -> nn.ModuleList:
    """Two linear layers."""
    return nn.ModuleList([nn.Linear(first, hidden), nn.Linear(hidden, last)])


def softmax_over_words(scores: Tensor, is_word: Tensor) -> Tensor:
    """Weights over the words of the other sentence, none on its padding."""
    return torch.softmax(scores.masked_fill(~is_word[:, None, :], _NEVER), dim=2)


__all__ = ["NliNetwork", "Padded", "States"]


class NliNetwork(JudgingNetwork):
    """Words by their vectors, read by a projection or a BiLSTM, with intra-attention or without."""

    def __init__(self, shape: Shape, rate: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        hidden = shape.hidden
        if shape.encoder == "bilstm":
            self.lstm = nn.LSTM(shape.dim, hidden // 2, batch_first=True, bidirectional=True)
        else:
            self.project = nn.Linear(shape.dim, hidden, bias=False)
        if shape.intra:
            self.intra = two_layers(hidden, hidden, hidden)
            self.distance = nn.Parameter(torch.zeros(DISTANCES))
        wide = 2 * hidden if shape.intra else hidden
        self.add_judge(Widths(read=wide, attend=hidden, compare=hidden), rate)

    def forward(self, rows: Tensor, premises: Padded, hypotheses: Padded) -> Tensor:
        """The logits of each pair; ``rows`` are the vectors of the distinct words."""
        if self.shape.reads_context:
            return super().forward(rows, premises, hypotheses)
        attend, own, aligned = self.parts(self.project(rows))
        first, second = (
            States(attend[side.places], own[side.places], aligned[side.places], side.is_word)
            for side in (premises, hypotheses)
        )
        return self.judge(first, second)

    def read(self, rows: Tensor, sentences: Padded) -> States:
        """Each sentence by itself, before it is compared with another."""
        x = rows[sentences.places]
        if self.shape.encoder == "bilstm":
            x = read_both_ways(self.lstm, x, sentences.is_word)
        else:
            x = self.project(x)
        if self.shape.intra:
            x = torch.cat([x, self._within(x, sentences.is_word)], dim=2)
        return States(*self.parts(x), sentences.is_word)

    def _within(self, x: Tensor, is_word: Tensor) -> Tensor:
        first, second = self.intra
        f = torch.relu(second(self.drop(torch.relu(first(self.drop(x))))))
        order = torch.arange(x.shape[1])
        most = DISTANCES // 2
        apart = (order[:, None] - order[None, :]).clamp(-most, most) + most
        return softmax_over_words(f @ f.transpose(1, 2) + self.distance[apart], is_word) @ x


# Decomposable attention on the layers of an ELMo, in torch.


class ScalarMix(nn.Module):
    """γ Σ sⱼ layerⱼ with s = softmax(scores): at first the mean of the layers (Peters et al.)."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(layers))
        self.gamma = nn.Parameter(torch.ones(1))

    def forward(self, rows: Tensor) -> Tensor:
        """Words × layers × width to words × width."""
        return self.gamma * (torch.softmax(self.scores, dim=0) @ rows)


class ElmoNliNetwork(JudgingNetwork):
    """Words from a frozen ELMo's layers: a mix into a BiLSTM, concatenated with another mix."""

    def __init__(self, shape: ElmoShape, rate: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.before, self.beside = ScalarMix(shape.layers), ScalarMix(shape.layers)
        self.lstm = nn.LSTM(shape.dim, shape.hidden // 2, batch_first=True, bidirectional=True)
        widths = Widths(read=shape.wide, attend=shape.attention, compare=shape.classification)
        self.add_judge(widths, rate)

    def read(self, rows: Tensor, sentences: Padded) -> States:
        """Each sentence by itself; ``rows`` are words × layers × width, each word in its place."""
        encoded = read_both_ways(
            self.lstm, self.drop(self.before(rows))[sentences.places], sentences.is_word
        )
        x = torch.cat([encoded, self.beside(rows)[sentences.places]], dim=2)
        return States(*self.parts(x), sentences.is_word)
