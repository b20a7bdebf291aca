"""A biased dataset with a known fair optimum, as a task of the trainer.

The label y is 0 or 1 with even odds, and the group z is y with probability .8. The first feature
says y and nothing of z given y; the second says z alone. A plain training uses both, because z says
something of y; then predictions depend on z given y. Equality of odds is kept by using only the
first feature: its accuracy is Φ(1.5) = .933, and that of both features .950.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from unslant.core.seeds import generator
from unslant.models.training.trainer import Classified, NetworkOutputs

FAIR, PLAIN = 0.933, 0.950


class Biased(Classified[Any]):
    """Two features, two labels, two groups."""

    name = "biased"
    objective = "accuracy"
    classes = ("no", "yes")
    attributes = {"colour": ("blue", "green")}  # noqa: RUF012
    batch = 256

    def __init__(self, examples: int = 8_192, hidden: int = 16, draw: str = "") -> None:
        self.hidden = hidden
        self.train, self.dev = (drawn(examples, f"{part}{draw}") for part in ("train", "dev"))

    def build_network(self) -> Any:
        """One hidden layer."""
        return torch.nn.Sequential(
            torch.nn.Linear(2, self.hidden), torch.nn.Tanh(), torch.nn.Linear(self.hidden, 2)
        )

    @property
    def steps_in_round(self) -> int:
        """How many batches a round has."""
        return len(self.train[1]) // self.batch

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, Any]]:
        """All training examples, in random order."""
        order = torch.from_numpy(
            generator(seed, "biased", str(number)).permutation(len(self.train[1]))
        )
        for at in range(0, len(order), self.batch):
            rows = order[at : at + self.batch]
            yield len(rows), tuple(each[rows] for each in self.train)

    def held_out_batches(self) -> Iterator[Any]:
        """All held-out examples at once."""
        yield self.dev

    def outputs(self, network: Any, batch: Any) -> NetworkOutputs:
        """Logits, labels and groups; every example is a cluster of its own."""
        x, y, z, clusters = batch
        return NetworkOutputs(network(x), y, clusters, {"colour": z})

    def evaluate_dev(self, network: Any) -> dict[str, float]:
        """The share of held-out labels that are right."""
        x, y, *_ = self.dev
        return {"accuracy": float((network(x).argmax(1) == y).float().mean())}


def drawn(count: int, seed: str) -> tuple[Any, ...]:
    """Features, labels, groups (-1 for a tenth of the examples) and clusters."""
    rng = generator(0, "constructed", seed)
    y = rng.integers(0, 2, count)
    z = np.where(rng.random(count) < 0.8, y, 1 - y)
    x = rng.normal(size=(count, 2)) * np.array([1.0, 0.2])
    x[:, 0] += 1.5 * (2 * y - 1)
    x[:, 1] += 2 * z - 1
    z = np.where(rng.random(count) < 0.1, -1, z)
    return (
        torch.from_numpy(x.astype(np.float32)),
        torch.from_numpy(y),
        torch.from_numpy(z),
        torch.arange(count),
    )
