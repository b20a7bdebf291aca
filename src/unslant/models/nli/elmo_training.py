"""Training an inference model on a frozen ELMo, by the one trainer."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unslant.core.extras import torch_threads
from unslant.core.files import Progress
from unslant.core.seeds import generator
from unslant.core.version import __version__
from unslant.datasets.nli import Corpus, SentenceTokens, Splits
from unslant.models.nli.batches import groups_of_similar_length
from unslant.models.nli.elmo_trained import ElmoNli
from unslant.models.nli.network import ElmoNliNetwork, Padded, ScalarMix
from unslant.models.nli.sentence_states import Room, SentenceStates
from unslant.models.nli.settings import ElmoTraining
from unslant.models.training.checkpoint import Checkpoint
from unslant.models.training.trainer import TrainingOutcome, TrainingTask
from unslant.models.training.trainer import train as train_task

if TYPE_CHECKING:
    from unslant.models.elmo.model import ElmoModel

Places = NDArray[np.int64]
_DEV_BATCH = 512


def train_on_elmo(
    model: "ElmoModel",
    pairs: Splits,
    how: ElmoTraining | None = None,
    *,
    most: int = 0,
    checkpoint: Path | None = None,
    room: Room | None = None,
    note: str = "",
    progress: Progress | None = None,
) -> ElmoNli:
    """Train decomposable attention on an ELMo, which itself stays fixed.

    The interventions of the ``model`` act in training, and with the trained model from then on.
    ``pairs`` keep the case of their words, because ELMo reads characters; ``most`` is how many
    training pairs to draw, 0 for all. With a ``checkpoint`` file every finished epoch is kept
    there; called again with the same ELMo, interventions, pairs and settings, training resumes
    from it. The caller removes it when the model is safe.
    """
    how = how or ElmoTraining()
    if 0 < most < len(pairs.train):
        rng = generator(how.seed, "training pairs", str(most))
        pairs = pairs._replace(train=pairs.train.drawn(most, rng))
    with torch_threads(torch, how.threads):
        task = _ElmoInference(model, pairs, how, room, progress)
    store = Checkpoint(checkpoint, _identity(model, pairs, how)) if checkpoint else None
    outcome = train_task(task, how.schedule(), store=store, progress=progress)
    return ElmoNli(
        task.shape,
        outcome.weights,
        task.record(outcome, note),
        model.folder.elmo_sha256(),
        model.intervention,
    )


def _identity(model: "ElmoModel", pairs: Splits, how: ElmoTraining) -> str:
    """A hash of everything that the final weights depend on."""
    facts = {
        "elmo": model.intervention.hash_with(model.folder.elmo_sha256()),
        "train": pairs.train.content_hash,
        "dev": pairs.dev.content_hash,
        "how": asdict(how),
        "unslant": __version__,
        "torch": str(torch.__version__),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class _Batch:
    rows: Tensor
    sides: tuple[Padded, Padded]
    labels: Tensor


class _ElmoInference(TrainingTask[_Batch]):
    """Pairs of sentences and their labels; a round is an epoch."""

    name = "nli"
    round_name = "Epoch"
    objective = "dev_accuracy"

    def __init__(
        self,
        model: "ElmoModel",
        pairs: Splits,
        how: ElmoTraining,
        room: Room | None,
        progress: Progress | None,
    ) -> None:
        self.model, self.pairs, self.how = model, pairs, how
        self.shape = how.shape(model.layout.width, model.layout.layers + 1)
        numbers: dict[bytes, int] = {}
        texts: list[str] = []
        self._sides = {
            part: tuple(
                _distinct(side, corpus.vocabulary, numbers, texts)
                for side in (corpus.premises, corpus.hypotheses)
            )
            for part, corpus in pairs._asdict().items()
            if corpus is not None
        }
        self.states = SentenceStates(model, texts, room, progress)

    def build_network(self) -> nn.Module:
        return ElmoNliNetwork(self.shape, self.how.dropout)

    @property
    def steps_in_round(self) -> int:
        return -(-len(self.pairs.train) // self.how.batch)

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, _Batch]]:
        order = generator(seed, self.name, f"order {number}")
        for chosen in groups_of_similar_length(self.pairs.train, self.how.batch, order):
            yield len(chosen), self._batch("train", self.pairs.train, chosen)

    def loss(self, network: nn.Module, batch: _Batch) -> Tensor:
        return cross_entropy(network(batch.rows, *batch.sides), batch.labels)

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        return {"dev_accuracy": self._accuracy(network, "dev", self.pairs.dev)}

    def evaluate_test(self, network: nn.Module) -> dict[str, float]:
        test = self.pairs.test
        return {} if test is None else {"test_accuracy": self._accuracy(network, "test", test)}

    def _accuracy(self, network: nn.Module, part: str, corpus: Corpus) -> float:
        right = 0
        for chosen in groups_of_similar_length(corpus, _DEV_BATCH):
            batch = self._batch(part, corpus, chosen)
            right += int((network(batch.rows, *batch.sides).argmax(1) == batch.labels).sum())
        return right / len(corpus)

    def _batch(self, part: str, corpus: Corpus, chosen: Places) -> _Batch:
        sides = [side[chosen] for side in self._sides[part]]
        distinct, which = np.unique(np.concatenate(sides), return_inverse=True)
        rows, starts = self.states.of(distinct)
        first, second = (
            _padded(starts[some], self.states.lengths[distinct[some]])
            for some in np.split(which, 2)
        )
        labels = torch.from_numpy(corpus.labels[chosen].astype(np.int64))
        return _Batch(torch.from_numpy(rows), (first, second), labels)

    def record(self, outcome: TrainingOutcome, note: str) -> dict[str, Any]:
        """The record of the training, without the weights of its best epoch."""
        model, network = self.model, outcome.network
        return {
            "note": note,
            "dev_accuracy": outcome.rounds[outcome.best - 1]["dev_accuracy"],
            "test_accuracy": outcome.tested.get("test_accuracy"),
            "best_epoch": outcome.best,
            "epochs": outcome.rounds,
            "seconds": outcome.seconds,
            "settings": asdict(self.how),
            "elmo": {
                "name": model.original.name,
                "sha256": model.folder.elmo_sha256(),
                "layers": self.shape.layers,
                "width": self.shape.dim,
            },
            "intervention": _acting(model),
            "mixes": {
                name: _mix(part)
                for name, part in network.named_children()
                if isinstance(part, ScalarMix)
            },
            "states": self.states.facts,
            "pairs": {
                part: {"count": len(corpus), **corpus.record}
                for part, corpus in self.pairs._asdict().items()
                if corpus is not None
            },
            "versions": {"unslant": __version__, "torch": str(torch.__version__)},
        }


def _acting(model: "ElmoModel") -> dict[str, Any]:
    """The interventions in the ELMo during training; empty if there were none."""
    acting = model.intervention
    if not acting.steps:
        return {}
    return {
        "expression": acting.expression,
        "sha256": acting.content_hash,
        "stages": [stage.to_dict() for step in acting.steps for stage in step.eraser.stages],
    }


def _mix(mix: ScalarMix) -> dict[str, Any]:
    weights = torch.softmax(mix.scores.detach(), dim=0)
    return {"weights": weights.tolist(), "gamma": float(mix.gamma.detach())}


def _distinct(
    side: SentenceTokens, vocabulary: tuple[str, ...], numbers: dict[bytes, int], texts: list[str]
) -> Places:
    """The number of each sentence among the distinct ones, to which new ones are added."""
    found = np.empty(len(side), np.int64)
    for row in range(len(side)):
        ids = side[row]
        number = numbers.setdefault(ids.tobytes(), len(texts))
        if number == len(texts):
            texts.append(" ".join(vocabulary[token] for token in ids.tolist()))
        found[row] = number
    return found


def _padded(starts: Places, lengths: Places) -> Padded:
    within = np.arange(int(lengths.max()))
    is_word = within < lengths[:, None]
    places = np.where(is_word, starts[:, None] + within, 0)
    return Padded(torch.from_numpy(places), torch.from_numpy(is_word))
