"""Training an inference model: seeded, stopped early by the dev set, resumed after a kill.

Everything random in an epoch comes from a generator of that epoch, so a run that was killed goes
on from its last whole epoch and ends in the same weights as one that was not (on one thread: more
threads add numbers in another order).
"""

import hashlib
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from unslant.core.extras import torch_threads
from unslant.core.files import Progress
from unslant.core.sealed import Tensors
from unslant.core.seeds import generator
from unslant.core.version import __version__
from unslant.datasets.nli import Corpus, Splits
from unslant.models.nli.batches import Batch, batches
from unslant.models.nli.checkpoint import Checkpoint, Progressed
from unslant.models.nli.embedding import Embedding
from unslant.models.nli.network import NliNetwork, Padded
from unslant.models.nli.settings import Training
from unslant.models.nli.trained import TrainedNli
from unslant.vectors import WordVectors

_WARM_UP = 200
_DEV_BATCH = 512
_MOMENTS = ("exp_avg", "exp_avg_sq")


def train(
    vectors: WordVectors,
    pairs: Splits,
    how: Training | None = None,
    *,
    checkpoint: Path | None = None,
    name: str = "nli",
    note: str = "",
    progress: Progress | None = None,
) -> TrainedNli:
    """Train a model whose words are seen through ``vectors``, which themselves stay fixed.

    With a ``checkpoint`` file every finished epoch is kept there; called again with the same
    vectors, pairs and settings, training goes on from it. The caller removes it when the model is
    safe. The ``note`` is kept in the record.
    """
    how = how or Training()
    run = _Run(vectors, pairs, how)
    store = Checkpoint(checkpoint, identity(vectors, pairs, how)) if checkpoint else None
    # The random numbers of the caller are put back, and so are its threads.
    with torch_threads(torch, how.threads), torch.random.fork_rng(devices=[]):
        run.begin(store.read() if store else None)
        while not run.is_over():
            run.epoch(progress)
            if store:
                store.write(run.progressed())
        return run.result(name, note)


def identity(vectors: WordVectors, pairs: Splits, how: Training) -> str:
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


class _Run:
    """A training under way."""

    def __init__(self, vectors: WordVectors, pairs: Splits, how: Training) -> None:
        self.vectors, self.pairs, self.how = vectors, pairs, how
        self.shape = how.shape(vectors.dim)
        self.embedding = Embedding(vectors)
        self.steps = 0
        self.epochs: list[dict[str, float]] = []
        self.best: Tensors = {}

    def begin(self, earlier: Progressed | None) -> None:
        """Start from fresh weights, or from where an earlier run was."""
        torch.manual_seed(_seed(self.how, "weights"))
        self.network = NliNetwork(self.shape, self.how.dropout)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=self.how.learning_rate)
        self.table = torch.from_numpy(self.embedding.rows(self.pairs.train.vocabulary))
        if earlier is not None:
            self.steps, self.epochs = earlier.steps, earlier.epochs
            parts = _unprefixed(earlier.tensors)
            self.best = parts["best"]
            _restore(self.network, self.optimiser, self.steps, parts)

    def is_over(self) -> bool:
        """Whether all epochs are done, or the dev set has long not improved."""
        scores = [epoch["dev_accuracy"] for epoch in self.epochs]
        since_best = len(scores) - 1 - scores.index(max(scores)) if scores else 0
        return len(scores) >= self.how.epochs or since_best >= self.how.patience

    def epoch(self, progress: Progress | None) -> None:
        """See every training pair once, then ask the dev set."""
        began, number = time.monotonic(), len(self.epochs) + 1
        torch.manual_seed(_seed(self.how, f"epoch {number}"))
        order = generator(self.how.seed, "nli", f"order {number}")
        self.network.train()
        count, loss, done = len(self.pairs.train), 0.0, 0
        for batch in batches(self.pairs.train, self.how.batch, order):
            loss += self._step(batch) * len(batch.labels)
            done += len(batch.labels)
            if progress:
                progress(f"Epoch {number} of at most {self.how.epochs}", done, count)
        accuracy = self._accuracy(self.pairs.dev)
        if accuracy > max((epoch["dev_accuracy"] for epoch in self.epochs), default=-1.0):
            self.best = _weights(self.network)
        self.epochs.append(
            {
                "loss": loss / count,
                "dev_accuracy": accuracy,
                "seconds": round(time.monotonic() - began, 1),
            }
        )

    def _step(self, batch: Batch) -> float:
        total = self.how.epochs * -(-len(self.pairs.train) // self.how.batch)
        rising, falling = (self.steps + 1) / _WARM_UP, 1 - self.steps / total
        for group in self.optimiser.param_groups:
            group["lr"] = self.how.learning_rate * min(rising, falling)
        loss = cross_entropy(_logits(self.network, self.table, batch), _tensor(batch.labels))
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.steps += 1
        return float(loss.detach())

    def _accuracy(self, corpus: Corpus) -> float:
        self.network.train(mode=False)
        right = 0
        with torch.inference_mode():
            for batch in batches(corpus, _DEV_BATCH):
                chosen = _logits(self.network, self.table, batch).argmax(1).numpy()
                right += int((chosen == batch.labels).sum())
        return right / len(corpus)

    def progressed(self) -> Progressed:
        """What it takes to go on from here."""
        parts = {"now": _weights(self.network), "best": self.best}
        for moment in _MOMENTS:
            parts[moment] = {
                name: self.optimiser.state[parameter][moment].numpy().copy()
                for name, parameter in self.network.named_parameters()
            }
        tensors = {f"{part}/{name}": value for part in parts for name, value in parts[part].items()}
        return Progressed(self.steps, self.epochs, tensors)

    def result(self, name: str, note: str) -> TrainedNli:
        """The model of the best epoch, with the record of the training."""
        self.network.load_state_dict({key: _tensor(value) for key, value in self.best.items()})
        scores = [epoch["dev_accuracy"] for epoch in self.epochs]
        test = self.pairs.test
        words = self.pairs.train.vocabulary
        record = {
            "note": note,
            "dev_accuracy": max(scores),
            "test_accuracy": self._accuracy(test) if test is not None else None,
            "best_epoch": scores.index(max(scores)) + 1,
            "epochs": self.epochs,
            "seconds": round(sum(epoch["seconds"] for epoch in self.epochs), 1),
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
        return TrainedNli(name, self.shape, self.best, record)


def _logits(network: NliNetwork, table: Tensor, batch: Batch) -> Tensor:
    sides = [
        Padded(_tensor(places), _tensor(is_word))
        for places, is_word in zip(batch.places, batch.is_word, strict=True)
    ]
    logits: Tensor = network(table[_tensor(batch.words)], *sides)
    return logits


def _weights(network: NliNetwork) -> Tensors:
    return {name: value.numpy().copy() for name, value in network.state_dict().items()}


def _restore(
    network: NliNetwork, optimiser: torch.optim.Optimizer, steps: int, parts: dict[str, Tensors]
) -> None:
    network.load_state_dict({name: _tensor(value) for name, value in parts["now"].items()})
    for name, parameter in network.named_parameters():
        optimiser.state[parameter] = {
            "step": torch.tensor(float(steps)),
            **{moment: _tensor(parts[moment][name].copy()) for moment in _MOMENTS},
        }


def _unprefixed(tensors: Tensors) -> dict[str, Tensors]:
    parts: dict[str, Tensors] = {}
    for key, value in tensors.items():
        part, _, name = key.partition("/")
        parts.setdefault(part, {})[name] = value
    return parts


def _tensor(values: NDArray[Any]) -> Tensor:
    return torch.from_numpy(values)


def _seed(how: Training, purpose: str) -> int:
    return int(generator(how.seed, "nli", purpose).integers(2**62))
