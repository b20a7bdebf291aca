"""Decomposable attention on word vectors, in NumPy: a trained model needs no torch to be used."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.models.nli.grid import Grid
from unslant.models.nli.layers import Floats, Layers, Words
from unslant.models.nli.model import Probabilities
from unslant.models.nli.shared_parts import grid_answers
from unslant.models.nli.tokens import tokenise
from unslant.numerics.group_attention import log_total_and_weights

_BATCH = 512
Places = NDArray[np.int64]


class Rows(Protocol):
    """Where the vectors of words come from."""

    def rows(self, words: Sequence[str]) -> Floats:
        """One row for each word."""
        ...


class DecomposableAttention:
    """Attend, compare, aggregate (Parikh et al. 2016), without positions and without a null word.

    ``tensors`` are the weights by their names in :class:`unslant.models.nli.shape.Shape`.
    """

    def __init__(self, tensors: Mapping[str, Floats], embedding: Rows) -> None:
        self._layers = Layers(tensors)
        self._embedding = embedding

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        """One row (entailment, neutral, contradiction) for each pair of sentences."""
        if len(premises) != len(hypotheses):
            raise UnslantError(
                f"Each premise needs one hypothesis; there are {len(premises):,} premises and "
                f"{len(hypotheses):,} hypotheses."
            )
        place_of: dict[str, int] = {}
        sides = [
            [_places(sentence, place_of) for sentence in side] for side in (premises, hypotheses)
        ]
        words = self._layers.words(self._embedding.rows(list(place_of)))
        lengths = np.array([len(a) + len(b) for a, b in zip(*sides, strict=True)], dtype=np.int64)
        by_length = np.argsort(lengths, kind="stable")
        answers = np.empty((len(premises), 3), np.float32)
        for start in range(0, len(by_length), _BATCH):
            chosen = by_length[start : start + _BATCH]
            batch = (_padded([side[pair] for pair in chosen]) for side in sides)
            answers[chosen] = self._batch(words, *batch)
        return answers

    def predict_grid(self, grid: Grid, progress: Progress | None = None) -> Probabilities:
        """The probabilities as premises × hypotheses × contexts × 3, shared parts done once."""
        place_of: dict[str, int] = {}

        def places(text: str) -> tuple[int, ...]:
            return tuple(place_of.setdefault(word, len(place_of)) for word in tokenise(text))

        premises, hypotheses = (
            [places(filler) for filler in side] for side in (grid.premises, grid.hypotheses)
        )
        contexts = [places(each.before) + places(each.after) for each in grid.contexts]
        if not all(map(len, contexts)):  # an empty filler in a context of words is a sentence
            empty = contexts.index(())
            for filler in (*grid.premises, *grid.hypotheses):
                _places(grid.contexts[empty].sentence(filler), {})
        words = self._layers.words(self._embedding.rows(list(place_of)))
        return grid_answers(self._layers, words, premises, hypotheses, contexts, progress)

    def _batch(self, words: Words, a: Places, b: Places) -> Floats:
        scores = words.attend[a] @ words.attend[b].transpose(0, 2, 1)
        hidden = self._compared(words, a, b, scores) @ self._layers.premise
        hidden += self._compared(words, b, a, scores.transpose(0, 2, 1)) @ self._layers.hypothesis
        hidden += self._layers.bias
        return self._layers.answers(hidden)

    def _compared(
        self, words: Words, these: Places, others: Places, scores: NDArray[np.float64]
    ) -> Floats:
        """The words of each sentence beside what they find in the other, summed."""
        seen = np.where(others[:, None, :] >= 0, scores, -np.inf)
        _, weights = log_total_and_weights(seen)
        compared = self._layers.compared(words.own[these] + weights @ words.aligned[others])
        compared *= (these >= 0)[..., None]
        return np.asarray(compared.sum(axis=1))


def _places(sentence: str, place_of: dict[str, int]) -> list[int]:
    """The words of a sentence as places in a table that grows."""
    words = tokenise(sentence)
    if not words:
        raise UnslantError(f"A sentence to compare needs at least one word; got {sentence!r}.")
    return [place_of.setdefault(word, len(place_of)) for word in words]


def _padded(sentences: Iterable[list[int]]) -> Places:
    """Sentences of different lengths as one array, filled up with -1."""
    rows = list(sentences)
    padded = np.full((len(rows), max(map(len, rows))), -1, dtype=np.int64)
    for row, places in zip(padded, rows, strict=True):
        row[: len(places)] = places
    return padded
