"""Decomposable attention whose words see their sentence first; it needs torch to be used."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from unslant.core.extras import torch_for
from unslant.core.files import Progress
from unslant.models.nli.attention import Rows
from unslant.models.nli.sentence_batches import GridWords, PairBatches
from unslant.models.nli.settings import Shape
from unslant.predictors.nli import Probabilities
from unslant.predictors.nli_grid import Grid


class ContextualAttention:
    """Decomposable attention with a BiLSTM (Dev et al. 2020), intra-sentence attention, or both.

    ``tensors`` are the weights by their names in :class:`unslant.models.nli.settings.Shape`.
    """

    def __init__(
        self, shape: Shape, tensors: Mapping[str, NDArray[np.float32]], embedding: Rows
    ) -> None:
        torch = torch_for("A model that reads context")
        from unslant.models.nli.network import Network

        self._network = Network(shape)
        # Copied: the arrays of a file may be read-only, which torch warns of.
        weights = {name: torch.from_numpy(np.array(value)) for name, value in tensors.items()}
        self._network.load_state_dict(weights)
        self._network.train(mode=False)
        self._embedding = embedding

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        """One row (entailment, neutral, contradiction) for each pair of sentences."""
        from unslant.models.nli.contextual_grid import pair_answers

        asked = PairBatches.of(premises, hypotheses)
        rows = self._embedding.rows(asked.words)
        return asked.gathered(pair_answers(self._network, rows, asked.batches))

    def predict_grid(self, grid: Grid, progress: Progress | None = None) -> Probabilities:
        """The probabilities as premises × hypotheses × contexts × 3, each sentence read once."""
        from unslant.models.nli.contextual_grid import grid_answers

        asked = GridWords.of(grid)
        rows = self._embedding.rows(asked.words)
        return grid_answers(
            self._network, rows, asked.premises, asked.hypotheses, asked.contexts, progress
        )
