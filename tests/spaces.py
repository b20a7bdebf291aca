"""Small spaces and concepts that tests build on."""

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept
from unslant.concepts.read import parse_concept
from unslant.core.lineage import Lineage
from unslant.vectors import Vocabulary, WordVectors


def space(words: list[str], matrix: NDArray[np.generic], name: str = "space") -> WordVectors:
    """Word vectors from a list and an array."""
    return WordVectors(Vocabulary.of(words), matrix.astype(np.float32), Lineage(name))


def small_concept(extra: str = "") -> Concept:
    """A concept with two groups, pairs, names, neutral words and one test."""
    return parse_concept(
        """
name = "toy"
title = "Toy"
groups = ["left", "right"]
direction = "pair-difference(l0, r0)"
[words]
left = ["l0", "l1", "l2"]
right = ["r0", "r1", "r2"]
[names]
left = ["l0", "l1", "l2"]
right = ["r0", "r1", "r2"]
[sets]
definitional = { columns = ["left", "right"], rows = [["l0", "r0"], ["l1", "r1"], ["l2", "r2"]] }
[neutral]
things = ["n0", "n1", "n2", "n3"]
[lists]
all = ["l0", "l1", "l2", "r0", "r1", "r2"]
[tests.one]
targets = { x = ["n0", "n1"], y = ["n2", "n3"] }
attributes = { a = ["l0", "l1"], b = ["r0", "r1"] }
"""
        + extra,
        "toy.toml",
    )
