"""Pairs of sentences in batches: of similar length, over the distinct words of the batch."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.datasets.nli import Corpus, Sentences

_POOL = 50
"""Batches whose pairs are sorted by length together: less padding, and still a random order."""


@dataclass(frozen=True)
class Batch:
    """Pairs over the distinct words of the batch: ``places`` point into ``words``."""

    words: NDArray[np.int64]
    places: tuple[NDArray[np.int64], NDArray[np.int64]]
    is_word: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    labels: NDArray[np.int64]


def batches(corpus: Corpus, size: int, rng: np.random.Generator | None = None) -> Iterator[Batch]:
    """All pairs once: in random order with a generator, otherwise by length."""
    for chosen in groups_of_similar_length(corpus, size, rng):
        yield _batch(corpus, chosen)


def groups_of_similar_length(
    corpus: Corpus, size: int, rng: np.random.Generator | None = None
) -> list[NDArray[np.int64]]:
    """Which pairs each batch has."""
    lengths = corpus.premises.lengths + corpus.hypotheses.lengths
    if rng is None:
        order = np.argsort(lengths, kind="stable")
        return [order[at : at + size] for at in range(0, len(order), size)]
    groups = []
    order = rng.permutation(len(lengths))
    for at in range(0, len(order), size * _POOL):
        pool = order[at : at + size * _POOL]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        groups += [pool[start : start + size] for start in range(0, len(pool), size)]
    return [groups[place] for place in rng.permutation(len(groups))]


def _batch(corpus: Corpus, chosen: NDArray[np.int64]) -> Batch:
    (first, in_first), (second, in_second) = (
        _padded(side, chosen) for side in (corpus.premises, corpus.hypotheses)
    )
    words, places = np.unique(np.concatenate([first.ravel(), second.ravel()]), return_inverse=True)
    return Batch(
        words=words,
        places=(
            places[: first.size].reshape(first.shape),
            places[first.size :].reshape(second.shape),
        ),
        is_word=(in_first, in_second),
        labels=corpus.labels[chosen].astype(np.int64),
    )


def _padded(
    side: Sentences, chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The words of the chosen sentences as a table, and which of its places hold a word."""
    lengths = side.lengths[chosen]
    within = np.arange(lengths.max())
    is_word = within < lengths[:, None]
    at = np.where(is_word, side.offsets[chosen][:, None] + within, 0)
    return side.ids[at].astype(np.int64), is_word
