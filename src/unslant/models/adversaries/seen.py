"""What a network said of many examples, and what that tells of it and of its adversaries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unslant.models.adversaries.balance import balanced, chance_loss
from unslant.models.adversaries.network import Adversary
from unslant.models.training.classified import Outputs

Ids = NDArray[np.int64]
_BLOCK = 8_192


@dataclass(frozen=True, eq=False)
class Seen:
    """Logits, true labels, clusters and groups of examples."""

    logits: Tensor
    labels: Ids
    clusters: Ids
    protected: Mapping[str, Ids]

    @classmethod
    def of(cls, outputs: Iterable[Outputs]) -> "Seen":
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
    """The logits of the groups that an adversary gives to each example."""
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
