"""Spaces with many ordinary words, for metrics that choose their words from a vocabulary."""

from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from tests.spaces import space
from unslant.concepts import Concept
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors

OWN = ["l0", "l1", "l2", "r0", "r1", "r2"]
THINGS = ["n0", "n1", "n2", "n3"]


def letter_words(count: int) -> list[str]:
    """Different words of lower-case letters."""
    return ["".join(letters) for letters in islice(product("abcdefgh", repeat=4), count)]


def wide_space(
    seed: int, count: int = 400, dim: int = 8, lean: float = 0.0, name: str = "wide"
) -> WordVectors:
    """Words of the small concept, then ordinary ones; the first half of those lean to the left.

    The first component is the direction of the concept, so ``lean`` adds to it alone.
    """
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(10 + count, dim))
    matrix[:6] *= 0.01
    matrix[:6, 0] += np.repeat([1.0, -1.0], 3)
    matrix[10:, 0] += np.where(np.arange(count) < count // 2, lean, -lean)
    return space([*OWN, *THINGS, *letter_words(count)], matrix, name)


def moved(vectors: WordVectors, seed: int, scale: float) -> WordVectors:
    """The space turned and scaled."""
    dim = vectors.dim
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))
    return space(list(vectors.words), vectors.matrix.astype(np.float64) @ turn * scale)


def without_direction(vectors: WordVectors, concept: Concept) -> WordVectors:
    """The space with the concept's direction removed from every word."""
    rows = estimate(None, vectors, concept).project_out(vectors.matrix)
    return WordVectors(vectors.words, rows, vectors.lineage)


def without_sides(vectors: WordVectors) -> WordVectors:
    """The space where the two words of the small concept's direction have the same vector."""
    matrix: NDArray[np.float32] = vectors.matrix.copy()
    matrix[list(vectors.words).index("r0")] = matrix[list(vectors.words).index("l0")]
    return WordVectors(vectors.words, matrix, vectors.lineage)
