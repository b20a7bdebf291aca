"""Decomposable attention in torch: what is trained, and the plain evaluation of one batch."""

import torch
from torch import Tensor, nn

from unslant.models.nli.judging import (
    JudgingNetwork,
    Padded,
    States,
    Widths,
    read_both_ways,
    softmax_over_words,
    two_layers,
)
from unslant.models.nli.settings import DISTANCES, Shape

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
