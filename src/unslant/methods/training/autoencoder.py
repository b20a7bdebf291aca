"""An autoencoder of one layer with two classifiers of its codes, and the losses of GP."""

from typing import Any

import numpy as np

from unslant.methods.training.lazy_torch import free


class Coder:
    """Encoder, decoder and two classifiers, for rows.

    Encoder and decoder start as the identity, up to tanh.
    """

    def __init__(self, torch: Any, dim: int, rng: np.random.Generator) -> None:
        same, none = np.eye(dim), np.zeros(dim)
        self.torch = torch
        self.coding = [free(torch, values) for values in (same, none, same, none)]
        self.telling = [
            free(torch, rng.normal(size=(dim, 2)) / np.sqrt(dim)),
            free(torch, np.zeros(2)),
        ]

    def encoded(self, rows: Any) -> Any:
        """The codes of rows."""
        return self.torch.tanh(rows @ self.coding[0] + self.coding[1])

    def decoded(self, codes: Any) -> Any:
        """The rows that the codes decode to."""
        return self.torch.tanh(codes @ self.coding[2] + self.coding[3])

    def told(self, codes: Any) -> Any:
        """The outputs of the two classifiers, one column each."""
        return self.torch.sigmoid(codes @ self.telling[0] + self.telling[1])


def misdecoded(coder: Coder, codes: Any, rows: Any) -> Any:
    """The mean squared distance between rows and their decoded codes."""
    return ((coder.decoded(codes) - rows) ** 2).sum(dim=1).mean()


def mistold(coder: Coder, codes: list[Any]) -> Any:
    """Squared errors of both classifiers, summed over four kinds of words.

    The first kind is the first classifier's own, the second kind the second's.
    """
    total = 0.0
    for place, code in enumerate(codes):
        answer = coder.torch.tensor([float(place == 0), float(place == 1)])
        total = total + ((coder.told(code) - answer) ** 2).sum(dim=1).mean()
    return total


def direction_of(coder: Coder, pairs: Any, neutral: Any) -> Any:
    """The mean difference of encoded pairs, scaled by its length and that of neutral words."""
    codes = coder.encoded(pairs)
    difference = (codes[:, 1] - codes[:, 0]).mean(dim=0)
    length = (coder.encoded(neutral) ** 2).sum(dim=1).mean().sqrt()
    return difference / (difference.norm() * length).clamp_min(1e-12)


def leaning(coder: Coder, pairs: Any, neutral: Any) -> float:
    """The mean |v·h| of neutral words, with v and the mean length of h scaled to 1."""
    direction = direction_of(coder, pairs, neutral)
    return float((coder.encoded(neutral) @ direction).abs().mean())


def accuracies(coder: Coder, pairs: Any, others: list[Any]) -> tuple[float, float]:
    """The share that each classifier gets right, with its own group and the rest halves of it."""
    sure = coder.told(coder.encoded(pairs)) > 0.5
    rest = coder.torch.cat([coder.told(coder.encoded(rows)) > 0.5 for rows in others])
    shares = []
    for place in (0, 1):
        own = float(sure[:, place, place].double().mean())
        wrong = coder.torch.cat([sure[:, 1 - place, place], rest[:, place]])
        shares.append((own + 1 - float(wrong.double().mean())) / 2)
    return shares[0], shares[1]
