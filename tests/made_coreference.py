"""Small documents with coreference, vectors for their words, and random networks."""

from typing import Any

import numpy as np

from tests.spaces import space
from unslant.datasets.coreference.document import CorefDocument
from unslant.models.coreference.settings import CorefShape
from unslant.vectors import WordVectors

_WORDS = "anna bob the doctor nurse saw met she he her him dog a left ! . and old"
WORDS = _WORDS.split()
SHAPE = CorefShape(
    dim=6, projected=5, hidden=8, scorer=7, product=4, widest=3, kept=1.0, antecedents=4
)

TWO_PEOPLE = CorefDocument(
    "two-people",
    (
        ("Anna", "met", "the", "old", "doctor", "."),
        ("She", "saw", "him", "and", "left", "."),
        ("The", "doctor", "saw", "her", "dog", "."),
    ),
    (((0, 1), (6, 7), (15, 16)), ((2, 5), (8, 9), (12, 14)), ((15, 17),)),
)
A_NURSE = CorefDocument(
    "a-nurse",
    (("Bob", "saw", "a", "nurse", "!"), ("He", "left", "and", "she", "met", "a", "dog", ".")),
    (((0, 1), (5, 6)), ((2, 4), (8, 9)), ((10, 12),)),
)


def made_vectors(seed: int = 0) -> WordVectors:
    """Random vectors of six dimensions for the words of the documents."""
    rows = np.random.default_rng(seed).normal(size=(len(WORDS), 6)).astype(np.float32)
    return space(WORDS, rows, "made")


def random_network(seed: int = 0, **changes: Any) -> Any:
    """A network of that shape whose scores are far from 0."""
    import torch

    from unslant.models.coreference.network import CorefNetwork

    torch.manual_seed(seed)
    network = CorefNetwork(CorefShape(**{**SHAPE.to_dict(), **changes}))
    with torch.no_grad():
        for value in network.parameters():
            value.mul_(2.0)
        network.antecedents.prior.normal_()
    return network.train(mode=False)
