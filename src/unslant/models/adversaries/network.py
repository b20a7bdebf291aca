"""The networks of adversaries: from a prediction, and the true label, to a protected group."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, log_softmax, one_hot, softmax

from unslant.core.types import Array
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.training.trainer import NetworkOutputs

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


class DenseNetwork(Adversary):
    """Two large layers with dropout, so that the adversary is strong."""

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
        """Standardise the input to mean 0 and spread 1, so that small differences are visible."""
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
    """A new adversary for a number of classes and groups; weights from torch's generator."""
    return (DenseNetwork if how.network == "dense" else Small)(classes, groups, how)


# Examples weighted so that chance is known: every group of an attribute counts the same.
#
# For equality of odds every group counts the same within every true label. An adversary that
# reads the label may guess the group from it if groups have different labels; that says nothing
# about the prediction, and with these weights it gains nothing.

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Balanced:
    """Which examples count, their weights (a mean of 1), and the cell of label and group of each.

    ``left_out`` counts examples with a group but with a label that some group never has: with it
    the label reveals the group.
    """

    rows: Ids
    weights: Array
    cells: Ids
    left_out: int


def balanced(labels: Ids, groups: Ids, count: int, fairness: str) -> Balanced:
    """Weights under which all ``count`` groups are equally frequent, by label for ``odds``.

    >>> found = balanced(np.zeros(3, int), np.array([0, 0, 1]), 2, "parity")
    >>> found.weights.tolist()
    [0.75, 0.75, 1.5]
    """
    known = np.flatnonzero(groups >= 0)
    by = labels[known] if fairness == "odds" else np.zeros(len(known), np.int64)
    cells = by * count + groups[known]
    table = np.bincount(cells, minlength=(int(by.max(initial=0)) + 1) * count).reshape(-1, count)
    whole: NDArray[np.bool_] = np.all(table > 0, axis=1)
    counted = whole[by]
    by, cells = by[counted], cells[counted]
    weights = table.sum(axis=1)[by] / count / table.ravel()[cells]
    return Balanced(known[counted], weights, cells, int((~counted).sum()))


def chance_loss(labels: Ids, groups: Ids, fairness: str) -> float:
    """The mean cross-entropy (nats) of guessing groups by frequency, by label for ``odds``."""
    known = groups >= 0
    by = labels[known] if fairness == "odds" else np.zeros(int(known.sum()), np.int64)
    total = 0.0
    for label in np.unique(by):
        counts = np.bincount(groups[known][by == label]).astype(np.float64)
        counts = counts[counts > 0]
        total -= float((counts * np.log(counts / counts.sum())).sum())
    return total / max(1, int(known.sum()))


# Predictions over many batches, with the network's and adversaries' scores.

_BLOCK = 8_192


@dataclass(frozen=True, eq=False)
class Seen:
    """Logits, true labels, clusters and groups of examples."""

    logits: Tensor
    labels: Ids
    clusters: Ids
    protected: Mapping[str, Ids]

    @classmethod
    def of(cls, outputs: Iterable[NetworkOutputs]) -> "Seen":
        """All rows of several batches."""
        every = list(outputs)
        names = every[0].protected if every else {}
        return cls(
            torch.cat([each.logits.detach().float() for each in every]),
            _joined(each.labels for each in every),
            _joined(each.clusters for each in every),
            {name: _joined(each.protected[name] for each in every) for name in names},
        )

    def part(self, rows: Ids) -> "Seen":
        """Some of the rows."""
        own = {name: groups[rows] for name, groups in self.protected.items()}
        logits = self.logits[torch.from_numpy(rows)]
        return Seen(logits, self.labels[rows], self.clusters[rows], own)


def answers(opponent: nn.Module, seen: Seen) -> Tensor:
    """An adversary's logits of the groups for each example."""
    labels = torch.from_numpy(seen.labels)
    blocks = range(0, len(labels), _BLOCK)
    return torch.cat(
        [opponent(seen.logits[at : at + _BLOCK], labels[at : at + _BLOCK]) for at in blocks]
    )


def held_out_facts(
    seen: Seen, opponents: Mapping[str, Adversary], fairness: str
) -> dict[str, float]:
    """How predictions spread over classes, and the loss and accuracy of each adversary.

    The accuracy of an adversary is balanced, so that chance is 1 over the number of groups.
    """
    chosen = seen.logits.argmax(1).numpy()
    counts = np.bincount(chosen, minlength=seen.logits.shape[1])
    found = {
        "right_share": float((chosen == seen.labels).mean()),
        "majority_share": float(np.bincount(seen.labels).max() / len(seen.labels)),
        "most_predicted": float(counts.argmax()),
        "most_predicted_share": float(counts.max() / len(chosen)),
        "its_true_share": float((seen.labels == counts.argmax()).mean()),
    }
    for name, opponent in opponents.items():
        rows = np.flatnonzero(seen.protected[name] >= 0)
        if not len(rows):
            continue
        own = seen.part(rows)
        groups = own.protected[name]
        said = answers(opponent, own)
        even = balanced(own.labels, groups, said.shape[1], fairness)
        found[f"{name}_adversary_loss"] = float(cross_entropy(said, torch.from_numpy(groups)))
        found[f"{name}_chance_loss"] = chance_loss(own.labels, groups, fairness)
        if len(even.rows):
            right = (said.argmax(1).numpy() == groups)[even.rows]
            found[f"{name}_adversary_accuracy"] = float(np.average(right, weights=even.weights))
    return found


def _joined(tensors: Iterable[Tensor]) -> Ids:
    return np.asarray(torch.cat(list(tensors)).numpy(), np.int64)
