"""Inference models: any object that gives three probabilities for a pair of sentences."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.predictors.nli_grid import PairGrid

Probabilities = NDArray[np.float32]


@runtime_checkable
class NliModel(Protocol):
    """One method is enough: a wrapped transformers pipeline, a service, a table of answers."""

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        """One row (entailment, neutral, contradiction) for each pair; rows sum to 1."""
        ...


@runtime_checkable
class GridModel(NliModel, Protocol):
    """A model that also answers an entire grid of pairs, computing each shared part once."""

    def predict_grid(self, grid: PairGrid, progress: Progress | None = None) -> Probabilities:
        """The probabilities as premises × hypotheses × contexts × 3."""
        ...
