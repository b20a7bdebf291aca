"""Attend, compare, aggregate in torch: what every network for pairs does after reading them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

_NEVER = -1e9


@dataclass(frozen=True)
class Padded:
    """Sentences as places in a table of their distinct words, padded with place 0."""

    places: Tensor
    is_word: Tensor


@dataclass(frozen=True)
class States:
    """What the words of sentences have become: what they attend by, and their parts of compare."""

    attend: Tensor
    own: Tensor
    aligned: Tensor
    is_word: Tensor


@dataclass(frozen=True, kw_only=True)
class Widths:
    """How wide a word is when it has been read, what it attends by, and what is compared."""

    read: int
    attend: int
    compare: int


class JudgingNetwork(nn.Module, ABC):
    """Attend, compare, aggregate; every layer but the last is followed by a ReLU.

    The first layer of compare reads a word beside the words aligned to it; it is applied to both
    halves apart, because the half of a word is the same whatever it is compared with.
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
        """What words attend by, and their two parts of the first layer of compare."""
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
    """What an LSTM makes of the words of sentences; padding is not read."""
    lengths = is_word.sum(1).cpu()
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(lstm(packed)[0], batch_first=True, total_length=x.shape[1])[0]


def two_layers(first: int, hidden: int, last: int) -> nn.ModuleList:
    """Two linear layers."""
    return nn.ModuleList([nn.Linear(first, hidden), nn.Linear(hidden, last)])


def softmax_over_words(scores: Tensor, is_word: Tensor) -> Tensor:
    """Weights over the words of the other sentence, none on its padding."""
    return torch.softmax(scores.masked_fill(~is_word[:, None, :], _NEVER), dim=2)
