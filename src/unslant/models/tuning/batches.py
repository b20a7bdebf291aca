"""Sentences as padded batches, drawn so that each comes once before any comes again."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.seeds import generator
from unslant.core.types import Mask

Ids = NDArray[np.int64]

Weights = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Padded:
    """Sentences × pieces, padded on the right.

    ``word`` is how much each piece counts for its sentence's marked word: 1/n for each of its n
    pieces, and 0 for all others.
    """

    ids: Ids
    is_piece: Mask
    word: Weights

    def __len__(self) -> int:
        return len(self.ids)


def padded(sentences: Sequence[Sequence[int]], words: Sequence[Sequence[int]] = ()) -> Padded:
    """Sentences of any lengths in one batch; ``words`` are the places of marked words."""
    shape = len(sentences), max(map(len, sentences))
    ids, is_piece = np.zeros(shape, np.int64), np.zeros(shape, bool)
    weights = np.zeros(shape, np.float32)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence)] = sentence
        is_piece[row, : len(sentence)] = True
    for row, places in enumerate(words):
        weights[row, list(places)] = 1 / len(places)
    return Padded(ids, is_piece, weights)


def in_turns(total: int, start: int, count: int, seed: int, purpose: str) -> Ids:
    """Items ``start`` to ``start + count`` of random orders of all, one after the other.

    >>> sorted(in_turns(5, 0, 5, 0, "doctest")) == sorted(in_turns(5, 5, 5, 0, "doctest"))
    True
    """
    found: list[Ids] = []
    while count:
        turn, place = divmod(start, total)
        order = generator(seed, "tuning", purpose, f"turn {turn}").permutation(total)
        part = order[place : place + count]
        found.append(part)
        start, count = start + len(part), count - len(part)
    return np.concatenate(found)
