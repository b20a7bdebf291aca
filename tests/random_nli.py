"""Inference models with random weights on random vectors."""

from collections.abc import Sequence

import numpy as np

from unslant.core.types import Matrix
from unslant.models.nli.attention import DecomposableAttention
from unslant.models.nli.settings import ElmoShape, Shape


class DrawnRows:
    """A random row for each word, the same for the same word."""

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def rows(self, words: Sequence[str]) -> Matrix:
        drawn = [np.random.default_rng([*word.encode()]).normal(size=self.dim) for word in words]
        return (np.array(drawn).reshape(len(words), self.dim) / 2).astype(np.float32)


def random_tensors(
    shape: Shape | ElmoShape, seed: int = 0, attend: float = 1.0
) -> dict[str, Matrix]:
    """Weights that keep numbers about as large as they are; ``attend`` makes scores larger."""
    rng = np.random.default_rng(seed)
    tensors = {}
    for name, size in shape.tensors().items():
        scale = np.sqrt(2 / size[-1]) if len(size) > 1 else 0.3
        scale *= attend if name == "attend.1.weight" else 1.0
        tensors[name] = rng.normal(scale=scale, size=size).astype(np.float32)
    return tensors


def random_model(
    dim: int = 7, hidden: int = 12, seed: int = 0, attend: float = 1.0
) -> DecomposableAttention:
    shape = Shape(dim=dim, hidden=hidden)
    return DecomposableAttention(random_tensors(shape, seed, attend), DrawnRows(dim))
