"""Decomposable attention on word vectors, in NumPy: a trained model needs no torch to be used."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.core.types import Matrix
from unslant.models.nli.batches import GridWords, PairBatches, Sentence
from unslant.models.nli.grid import Layers, SentenceWords, grid_answers, log_total_and_weights
from unslant.predictors.protocols import PairGrid, Probabilities

Places = NDArray[np.int64]


class Rows(Protocol):
    """The source of word vectors."""

    def rows(self, words: Sequence[str]) -> Matrix:
        """One row for each word."""
        ...


class DecomposableAttention:
    """Attend, compare, aggregate (Parikh et al. 2016), without positions and without a null word.

    ``tensors`` are the weights by their names in :class:`unslant.models.nli.settings.Shape`.
    """

    def __init__(self, tensors: Mapping[str, Matrix], embedding: Rows) -> None:
        self._layers = Layers(tensors)
        self._embedding = embedding

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        """One row (entailment, neutral, contradiction) for each pair of sentences."""
        asked = PairBatches.of(premises, hypotheses)
        words = self._layers.words(self._embedding.rows(asked.words))
        sides = (map(_padded, zip(*batch, strict=True)) for batch in asked.batches)
        return asked.gathered(self._batch(words, *both) for both in sides)

    def predict_grid(self, grid: PairGrid, progress: Progress | None = None) -> Probabilities:
        """The probabilities as premises × hypotheses × contexts × 3, shared parts done once."""
        asked = GridWords.of(grid)
        words = self._layers.words(self._embedding.rows(asked.words))
        contexts = [before + after for before, after in asked.contexts]
        return grid_answers(
            self._layers, words, asked.premises, asked.hypotheses, contexts, progress
        )

    def _batch(self, words: SentenceWords, a: Places, b: Places) -> Matrix:
        scores = words.attend[a] @ words.attend[b].transpose(0, 2, 1)
        hidden = self._compared(words, a, b, scores) @ self._layers.premise
        hidden += self._compared(words, b, a, scores.transpose(0, 2, 1)) @ self._layers.hypothesis
        hidden += self._layers.bias
        return self._layers.answers(hidden)

    def _compared(
        self, words: SentenceWords, these: Places, others: Places, scores: NDArray[np.float64]
    ) -> Matrix:
        """Each sentence's words, compared with their aligned words in the other and summed."""
        seen = np.where(others[:, None, :] >= 0, scores, -np.inf)
        _, weights = log_total_and_weights(seen)
        compared = self._layers.compared(words.own[these] + weights @ words.aligned[others])
        compared *= (these >= 0)[..., None]
        return np.asarray(compared.sum(axis=1))


def _padded(sentences: Sequence[Sentence]) -> Places:
    """Sentences of different lengths as one array, filled up with -1."""
    padded = np.full((len(sentences), max(map(len, sentences))), -1, dtype=np.int64)
    for row, places in zip(padded, sentences, strict=True):
        row[: len(places)] = places
    return padded
