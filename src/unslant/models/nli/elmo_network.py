"""Decomposable attention on the layers of an ELMo, in torch."""

import torch
from torch import Tensor, nn

from unslant.models.nli.elmo_settings import ElmoShape
from unslant.models.nli.judging import JudgingNetwork, Padded, States, Widths, read_both_ways


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
    """Words by the layers of a frozen ELMo: a mix into a BiLSTM, beside another mix."""

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
