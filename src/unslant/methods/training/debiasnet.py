"""The training of DebiasNet: its three losses and its loop."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.methods.training.lazy_torch import descend, dropout, free, one_thread, tensor

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sets:
    """Vectors of the two sets of targets, of all attributes and of ordinary words."""

    first: Array
    second: Array
    attributes: Array
    ordinary: Array


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The weights of the losses and the training schedule."""

    explicit: float
    implicit: float
    keep: float
    layers: int
    steps: int
    batch: int
    learning_rate: float
    dropout: float


def trained(
    torch: Any,
    sets: Sets,
    terms: Terms,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> tuple[list[tuple[Array, Array]], dict[str, float | int | str | None]]:
    """Matrix and offset of each layer, and the results of the network."""
    dim = sets.first.shape[1]
    held = max(1, min(1000, len(sets.ordinary) // 10))
    order = rng.permutation(len(sets.ordinary))
    with one_thread(torch):
        first, second, attributes = (
            tensor(torch, part) for part in (sets.first, sets.second, sets.attributes)
        )
        own = torch.cat([first, second, attributes])
        dev, ordinary = (tensor(torch, sets.ordinary[n]) for n in (order[:held], order[held:]))
        network = [
            (free(torch, np.eye(dim)), free(torch, np.zeros(dim))) for _ in range(terms.layers)
        ]
        teller = [
            free(torch, rng.normal(size=(dim, dim)) / np.sqrt(dim)),
            free(torch, np.zeros(dim)),
            free(torch, rng.normal(size=dim) / np.sqrt(dim)),
        ]
        adam = torch.optim.Adam(
            [value for layer in network for value in layer] + teller, lr=terms.learning_rate
        )
        noisy = dropout(torch, rng, terms.dropout)
        sizes = [len(first), len(second), len(attributes)]
        answers = torch.cat([torch.ones(sizes[0]), torch.zeros(sizes[1])])
        for step in range(terms.steps):
            if progress is not None and step % 100 == 0:
                progress("Training DebiasNet", step, terms.steps)
            some = ordinary[rng.integers(len(ordinary), size=terms.batch)]
            after = passed(torch, network, torch.cat([own, some]), noisy)
            changed, changed_some = after[: len(own)], after[len(own) :]
            t1, t2, a = changed.split(sizes)
            told = _told(torch, teller, reverse_gradient(changed[: sizes[0] + sizes[1]]))
            telling = torch.nn.functional.binary_cross_entropy_with_logits(told, answers)
            moved = (_distance(torch, own, changed) + _distance(torch, some, changed_some)) / 2
            descend(
                adam,
                terms.explicit * unequal(torch, t1, t2, a)
                + terms.implicit * telling
                + terms.keep * moved,
            )
        with torch.no_grad():
            after = passed(torch, network, own)
            told = _told(torch, teller, after[: sizes[0] + sizes[1]])
            details: dict[str, float | int | str | None] = {
                "explicit-loss-before": float(unequal(torch, first, second, attributes)),
                "explicit-loss-after": float(unequal(torch, *after.split(sizes))),
                "accuracy-of-the-classifier": float(
                    ((told > 0) == (answers > 0.5)).double().mean()
                ),
                "mean-cosine-of-words-with-themselves": 1
                - float(_distance(torch, dev, passed(torch, network, dev))),
                "words-held-out": held,
            }
        layers = [(w.detach().double().numpy(), b.detach().double().numpy()) for w, b in network]
    return layers, details


def passed(torch: Any, network: list[tuple[Any, Any]], rows: Any, noisy: Any = None) -> Any:
    """Rows through all layers, the last of which is linear."""
    for place, (weight, bias) in enumerate(network, 1):
        rows = rows @ weight + bias
        if place < len(network):
            rows = torch.tanh(rows)
            rows = noisy(rows) if noisy is not None else rows
    return rows


def unequal(torch: Any, first: Any, second: Any, attributes: Any) -> Any:
    """The mean of (cos(t1, a) − cos(t2, a))² over all triples, without enumerating them.

    For each attribute it is the mean squares of both sides minus twice the product of the means.
    """
    one, other, a = (torch.nn.functional.normalize(x) for x in (first, second, attributes))
    x, y = one @ a.T, other @ a.T
    squares = (x**2).mean(dim=0) + (y**2).mean(dim=0)
    return (squares - 2 * x.mean(dim=0) * y.mean(dim=0)).mean()


def _told(torch: Any, teller: list[Any], rows: Any) -> Any:
    """The classifier's score for the first set, one number per row."""
    return torch.tanh(rows @ teller[0] + teller[1]) @ teller[2]


def reverse_gradient(rows: Any) -> Any:
    """The same numbers with a reversed gradient."""
    return 2 * rows.detach() - rows


def _distance(torch: Any, rows: Any, after: Any) -> Any:
    return 1 - torch.nn.functional.cosine_similarity(rows, after).mean()
