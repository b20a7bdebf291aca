"""Examples weighted so that chance is known: every group of an attribute counts the same.

For equality of odds every group counts the same within every true label. An adversary that reads
the label may guess the group from it if groups have different labels; that says nothing about the
prediction, and with these weights it gains nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Balanced:
    """Which examples count, their weights (a mean of 1), and the cell of label and group of each.

    ``left_out`` counts examples with a group but with a label that some group never has: with it
    the label gives the group away.
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
