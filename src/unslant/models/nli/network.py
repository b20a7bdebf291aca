"""Decomposable attention in torch: what is trained, and the plain evaluation of one batch."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from unslant.models.nli.settings import DISTANCES, Shape

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


class NliNetwork(nn.Module):
    """Attend, compare, aggregate; every layer but the last is followed by a ReLU.

    The first layer of compare reads a word beside the words aligned to it; it is applied to both
    halves apart, because the half of a word is the same whatever it is compared with.
    """

    def __init__(self, shape: Shape, rate: float = 0.0) -> None:
        super().__init__()
        self.shape, self.rate = shape, rate
        hidden = shape.hidden
        self.wide = 2 * hidden if shape.intra else hidden
        if shape.encoder == "bilstm":
            self.lstm = nn.LSTM(shape.dim, hidden // 2, batch_first=True, bidirectional=True)
        else:
            self.project = nn.Linear(shape.dim, hidden, bias=False)
        if shape.intra:
            self.intra = _two_layers(hidden, hidden, hidden)
            self.distance = nn.Parameter(torch.zeros(DISTANCES))
        self.attend = _two_layers(self.wide, hidden, hidden)
        self.compare = _two_layers(2 * self.wide, hidden, hidden)
        self.aggregate = _two_layers(2 * hidden, hidden, 3)

    def forward(self, rows: Tensor, premises: Padded, hypotheses: Padded) -> Tensor:
        """The logits of each pair; ``rows`` are the vectors of the distinct words."""
        if self.shape.reads_context:
            return self.judge(self.read(rows, premises), self.read(rows, hypotheses))
        attend, own, aligned = self._parts(self.project(rows))
        first, second = (
            States(attend[side.places], own[side.places], aligned[side.places], side.is_word)
            for side in (premises, hypotheses)
        )
        return self.judge(first, second)

    def read(self, rows: Tensor, sentences: Padded) -> States:
        """Each sentence by itself, before it is compared with another."""
        x = rows[sentences.places]
        if self.shape.encoder == "bilstm":
            lengths = sentences.is_word.sum(1).cpu()
            packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            x, _ = pad_packed_sequence(
                self.lstm(packed)[0], batch_first=True, total_length=x.shape[1]
            )
        else:
            x = self.project(x)
        if self.shape.intra:
            x = torch.cat([x, self._within(x, sentences.is_word)], dim=2)
        return States(*self._parts(x), sentences.is_word)

    def judge(self, premises: States, hypotheses: States) -> Tensor:
        """The logits of each pair of sentences that have been read."""
        scores = premises.attend @ hypotheses.attend.transpose(1, 2)
        sums = [
            self._compared(premises, hypotheses, scores),
            self._compared(hypotheses, premises, scores.transpose(1, 2)),
        ]
        first, last = self.aggregate
        logits: Tensor = last(self._drop(torch.relu(first(self._drop(torch.cat(sums, dim=1))))))
        return logits

    def _parts(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What words attend by, and their two parts of the first layer of compare."""
        x = self._drop(x)
        first, second = self.attend
        attend = torch.relu(second(self._drop(torch.relu(first(x)))))
        compare = self.compare[0]
        own, aligned = compare.weight.split(self.wide, dim=1)
        return attend, x @ own.T + compare.bias, x @ aligned.T

    def _compared(self, these: States, others: States, scores: Tensor) -> Tensor:
        weights = _softmax(scores, others.is_word)
        joint = torch.relu(these.own + weights @ others.aligned)
        # One mask for all words of a sentence: drawing one for each takes a quarter of the time.
        joint = joint * self._drop(joint.new_ones(len(joint), 1, joint.shape[2]))
        compared = torch.relu(self.compare[1](joint))
        return (compared * these.is_word[..., None]).sum(1)

    def _within(self, x: Tensor, is_word: Tensor) -> Tensor:
        first, second = self.intra
        f = torch.relu(second(self._drop(torch.relu(first(self._drop(x))))))
        order = torch.arange(x.shape[1])
        most = DISTANCES // 2
        apart = (order[:, None] - order[None, :]).clamp(-most, most) + most
        return _softmax(f @ f.transpose(1, 2) + self.distance[apart], is_word) @ x

    def _drop(self, x: Tensor) -> Tensor:
        return dropout(x, self.rate, self.training)


def _two_layers(first: int, hidden: int, last: int) -> nn.ModuleList:
    return nn.ModuleList([nn.Linear(first, hidden), nn.Linear(hidden, last)])


def _softmax(scores: Tensor, is_word: Tensor) -> Tensor:
    """Weights over the words of the other sentence, none on its padding."""
    return torch.softmax(scores.masked_fill(~is_word[:, None, :], _NEVER), dim=2)
