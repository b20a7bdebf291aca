"""Training an inference model on pairs of sentences, by the one trainer."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unslant.core.files import Progress
from unslant.core.seeds import generator
from unslant.core.version import __version__
from unslant.datasets.nli import Corpus, Splits
from unslant.models.nli.batches import Batch, Embedding, batches
from unslant.models.nli.network import NliNetwork, Padded
from unslant.models.nli.settings import NliTraining
from unslant.models.nli.trained import TrainedNli
from unslant.models.training.checkpoint import Checkpoint
from unslant.models.training.trainer import TrainingOutcome, TrainingTask
from unslant.models.training.trainer import train as train_task
from unslant.vectors import WordVectors

_DEV_BATCH = 512


def train(
    vectors: WordVectors,
    pairs: Splits,
    how: NliTraining | None = None,
    *,
    checkpoint: Path | None = None,
    name: str = "nli",
    note: str = "",
    progress: Progress | None = None,
) -> TrainedNli:
    """Train a model whose words are seen through ``vectors``, which themselves stay fixed.

    With a ``checkpoint`` file every finished epoch is kept there; called again with the same
    vectors, pairs and settings, training resumes from it. The caller removes it when the model is
    safe. The ``note`` is kept in the record.
    """
    how = how or NliTraining()
    task = _Inference(vectors, pairs, how)
    store = Checkpoint(checkpoint, identity(vectors, pairs, how)) if checkpoint else None
    outcome = train_task(task, how.schedule(), store=store, progress=progress)
    return TrainedNli(name, task.shape, outcome.weights, task.record(outcome, note))


def identity(vectors: WordVectors, pairs: Splits, how: NliTraining) -> str:
    """A hash of everything that the final weights depend on."""
    facts = {
        "vectors": vectors.content_hash,
        "train": pairs.train.content_hash,
        "dev": pairs.dev.content_hash,
        "how": asdict(how),
        "unslant": __version__,
        "torch": str(torch.__version__),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


class _Inference(TrainingTask[Batch]):
    """Pairs of sentences and their labels; a round is an epoch."""

    name = "nli"
    round_name = "Epoch"
    objective = "dev_accuracy"

    def __init__(self, vectors: WordVectors, pairs: Splits, how: NliTraining) -> None:
        self.vectors, self.pairs, self.how = vectors, pairs, how
        self.shape = how.shape(vectors.dim)
        self.embedding = Embedding(vectors)
        self.table = torch.from_numpy(self.embedding.rows(pairs.train.vocabulary))

    def build_network(self) -> nn.Module:
        return NliNetwork(self.shape, self.how.dropout)

    @property
    def steps_in_round(self) -> int:
        return -(-len(self.pairs.train) // self.how.batch)

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, Batch]]:
        order = generator(seed, self.name, f"order {number}")
        for batch in batches(self.pairs.train, self.how.batch, order):
            yield len(batch.labels), batch

    def loss(self, network: nn.Module, batch: Batch) -> Tensor:
        return cross_entropy(self._logits(network, batch), _tensor(batch.labels))

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        return {"dev_accuracy": self._accuracy(network, self.pairs.dev)}

    def evaluate_test(self, network: nn.Module) -> dict[str, float]:
        test = self.pairs.test
        return {"test_accuracy": self._accuracy(network, test)} if test is not None else {}

    def _accuracy(self, network: nn.Module, corpus: Corpus) -> float:
        right = 0
        for batch in batches(corpus, _DEV_BATCH):
            chosen = self._logits(network, batch).argmax(1).numpy()
            right += int((chosen == batch.labels).sum())
        return right / len(corpus)

    def _logits(self, network: nn.Module, batch: Batch) -> Tensor:
        sides = [
            Padded(_tensor(places), _tensor(is_word))
            for places, is_word in zip(batch.places, batch.is_word, strict=True)
        ]
        logits: Tensor = network(self.table[_tensor(batch.words)], *sides)
        return logits

    def record(self, outcome: TrainingOutcome, note: str) -> dict[str, Any]:
        """The record of the training, without the weights of its best epoch."""
        words = self.pairs.train.vocabulary
        return {
            "note": note,
            "dev_accuracy": outcome.rounds[outcome.best - 1]["dev_accuracy"],
            "test_accuracy": outcome.tested.get("test_accuracy"),
            "best_epoch": outcome.best,
            "epochs": outcome.rounds,
            "seconds": outcome.seconds,
            "settings": asdict(self.how),
            "vectors": {
                "name": self.vectors.name,
                "dim": self.vectors.dim,
                "content_sha256": self.vectors.content_hash,
                "family_sha256": sorted(self.vectors.family_hashes),
            },
            "words": {"in_pairs": len(words), "hashed": len(self.embedding.missing(words))},
            "pairs": {
                part: {"count": len(corpus), **corpus.record}
                for part, corpus in self.pairs._asdict().items()
                if corpus is not None
            },
            "versions": {"unslant": __version__, "torch": str(torch.__version__)},
        }


def _tensor(values: NDArray[Any]) -> Tensor:
    return torch.from_numpy(values)
