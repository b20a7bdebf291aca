"""Run an inference model on an ELMo; each distinct sentence passes through the ELMo once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from unslant.core.extras import torch_threads
from unslant.core.files import Progress
from unslant.core.record import Facts
from unslant.models.language.facts import model_facts
from unslant.models.nli.batches import GridWords, Pair, PairBatches, Sentence
from unslant.models.nli.contextual import Places, ReadSentences, grid_answers, pair_answers
from unslant.models.nli.elmo_trained import ElmoNli
from unslant.models.nli.network import ElmoNliNetwork
from unslant.models.nli.sentence_states import SentenceStates, check_affine_at_all, output_layers
from unslant.predictors.protocols import PairGrid, Probabilities

if TYPE_CHECKING:
    from unslant.models.elmo.model import ElmoModel

_BATCHES = 64
"""Batches of pairs whose sentences are read together, which bounds the memory."""


class ElmoInference:
    """An ELMo with the inference model that was trained on it; its interventions act."""

    def __init__(self, model: "ElmoModel", trained: ElmoNli) -> None:
        trained.check(model)
        check_affine_at_all(model)
        self.model, self.trained = model, trained
        self._network = ElmoNliNetwork(trained.shape)
        # Copied: the arrays of a file may be read-only, which torch warns of.
        weights = {name: torch.from_numpy(np.array(v)) for name, v in trained.tensors.items()}
        self._network.load_state_dict(weights)
        self._network.train(mode=False)

    @property
    def name(self) -> str:
        """The name in records and messages."""
        return self.model.name

    @property
    def sha256(self) -> str:
        """A hash of the ELMo, of the inference model in its folder and of the interventions."""
        return self.model.content_hash

    @property
    def facts(self) -> Facts:
        """The model's entry in a record."""
        return {**model_facts(self.model), "head": "nli", **self.trained.facts}

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        """One row (entailment, neutral, contradiction) for each pair of sentences."""
        asked = PairBatches.of(premises, hypotheses, keeps_case=True)
        found: list[Probabilities] = []
        for start in range(0, len(asked.batches), _BATCHES):
            found += self._answers(asked.words, asked.batches[start : start + _BATCHES])
        return asked.gathered(found)

    def predict_grid(self, grid: PairGrid, progress: Progress | None = None) -> Probabilities:
        """The probabilities as premises × hypotheses × contexts × 3, each sentence read once."""
        asked = GridWords.of(grid, keeps_case=True)

        def read(sentences: Places) -> ReadSentences:
            flat = sentences.reshape(-1, sentences.shape[2])
            texts = [" ".join(asked.words[word] for word in row) for row in flat.tolist()]
            shape = (flat.size, self.trained.shape.layers, self.trained.shape.dim)
            table = torch.empty(shape)
            places = torch.arange(flat.size).view(sentences.shape)
            for rows, layers in output_layers(self.model, texts):
                table.view(len(texts), -1, *shape[1:])[list(rows)] = layers
            return ReadSentences.read(self._network, table, places)

        return grid_answers(self._network, read, asked, progress)

    def _answers(self, words: list[str], batches: list[list[Pair]]) -> list[Probabilities]:
        distinct: dict[Sentence, int] = {}
        for pair in (pair for batch in batches for pair in batch):
            for sentence in pair:
                distinct.setdefault(sentence, len(distinct))
        texts = [" ".join(words[word] for word in sentence) for sentence in distinct]
        with torch_threads(torch):
            states = SentenceStates(self.model, texts)
            rows, starts = states.of(np.arange(len(texts)))
        at = {
            sentence: tuple(range(start, start + len(sentence)))
            for sentence, start in zip(distinct, starts.tolist(), strict=True)
        }
        placed = [[(at[first], at[second]) for first, second in batch] for batch in batches]
        return list(pair_answers(self._network, rows, placed))
