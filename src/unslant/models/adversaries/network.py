"""The networks of adversaries: from a prediction, and the true label, to a protected group."""

import torch
from torch import Tensor, nn
from torch.nn.functional import log_softmax, one_hot, softmax

from unslant.models.adversaries.settings import AdversarySettings

_LARGEST = 8.0
_SHARPER = 0.1
"""Not 0, where |c| has no slope."""


class Adversary(nn.Module):
    """Reads the logits of a prediction, and the true label if it is for equality of odds."""

    def __init__(self, classes: int, sees_label: bool) -> None:
        super().__init__()
        self.classes, self.sees_label = classes, sees_label

    def truth(self, labels: Tensor) -> Tensor:
        """The true labels as rows of one 1 each."""
        return one_hot(labels, self.classes).float()

    def fit_scale(self, logits: Tensor) -> None:
        """Look at typical predictions before the training, where they are known already."""


class Dense(Adversary):
    """Two large layers with dropout, which give the adversary every advantage."""

    middle: Tensor
    scale: Tensor

    def __init__(self, classes: int, groups: int, how: AdversarySettings) -> None:
        super().__init__(classes, how.fairness == "odds")
        self.reads = how.reads
        self.register_buffer("middle", torch.zeros(classes))
        self.register_buffer("scale", torch.ones(classes))
        self.layers = nn.Sequential(
            nn.Linear(classes * (2 if self.sees_label else 1), how.width),
            nn.ReLU(),
            nn.Dropout(how.dropout),
            nn.Linear(how.width, how.width),
            nn.ReLU(),
            nn.Dropout(how.dropout),
            nn.Linear(how.width, groups),
        )

    def fit_scale(self, logits: Tensor) -> None:
        """Bring what is read to mean 0 and spread 1, so that small differences can be seen."""
        seen = self._read(logits)
        self.middle = seen.mean(0)
        self.scale = seen.std(0, correction=0).clamp_min(1e-6)

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The logits of the groups."""
        seen = (self._read(logits) - self.middle) / self.scale
        seen = seen.clamp(-_LARGEST, _LARGEST) if self.reads == "probabilities" else seen
        if self.sees_label:
            seen = torch.cat([seen, self.truth(labels)], 1)
        found: Tensor = self.layers(seen)
        return found

    def _read(self, logits: Tensor) -> Tensor:
        return softmax(logits, 1) if self.reads == "probabilities" else log_softmax(logits, 1)


class Small(Adversary):
    """w · [s, s ⊗ y] + b, where s is the prediction sharpened by 1 + |c|: few weights.

    For two classes s ⊗ y has the s·y and s·(1 − y) of Zhang et al. (2018).
    """

    def __init__(self, classes: int, groups: int, how: AdversarySettings) -> None:
        super().__init__(classes, how.fairness == "odds")
        self.sharper = nn.Parameter(torch.tensor(_SHARPER))
        self.layer = nn.Linear(classes * (1 + classes if self.sees_label else 1), groups)

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The logits of the groups."""
        seen = softmax((1 + self.sharper.abs()) * log_softmax(logits, 1), 1)
        if self.sees_label:
            by_label = (seen[:, :, None] * self.truth(labels)[:, None, :]).flatten(1)
            seen = torch.cat([seen, by_label], 1)
        found: Tensor = self.layer(seen)
        return found


def adversary(classes: int, groups: int, how: AdversarySettings) -> Adversary:
    """A fresh adversary for so many classes and groups; weights from torch's generator."""
    return (Dense if how.network == "dense" else Small)(classes, groups, how)
