"""Training a network: seeded, stopped early by held-out data, resumed after a kill.

Everything random in a round comes from a generator of that round, so a killed run resumes
from its last whole round and ends in the same weights as one that was not (on one thread: more
threads add numbers in another order).
"""

import ctypes
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unslant.core.errors import UnslantError
from unslant.core.extras import torch_threads
from unslant.core.files import Progress
from unslant.core.sealed import Tensors
from unslant.core.seeds import generator
from unslant.core.visible import legible
from unslant.models.training.checkpoint import Checkpoint, Progressed
from unslant.models.training.schedule import Schedule

# Freed memory given back to the system while a network is trained.
#
# Batches have many lengths, so every step asks for blocks of other sizes. The C library keeps
# those that were freed, in pieces that few later blocks fit into, and the process grows by 60 MB
# a minute although nothing is held. Blocks mapped one by one (M_MMAP_THRESHOLD) would not be
# kept, but every page of them is cleared again in every step, which took 40 % longer.


def release_memory() -> None:
    """Return freed blocks to the system, where the C library can (glibc)."""
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library, such as musl
        return None
    return found


Batch = TypeVar("Batch")
_MEMORY = ("step", "exp_avg", "exp_avg_sq")
_SECONDS_TO_GIVE_BACK = 0.2
"""At least this long between two returns of freed memory to the system.

Every step of a large network is followed by one: the blocks of two steps already lie scattered
enough that later rounds touch more pages. Small networks, with steps of milliseconds, do not pay.
"""


@dataclass(frozen=True, eq=False)
class Companion:
    """A network trained alongside a task's own, at its own learning rate, such as an adversary.

    Checkpoints hold it; the weights of the outcome do not. Its rate rises and falls as that of
    the schedule does.
    """

    network: nn.Module
    learning_rate: float


class TrainingTask(ABC, Generic[Batch]):
    """A training task: a network, its batches, its loss, and the held-out data.

    ``name`` enters the seeds, ``round_name`` is what people call a round, and ``objective`` is the
    number of the held-out data, larger for better, by which the best round is chosen.
    """

    name: str
    round_name: str = "Round"
    objective: str

    @abstractmethod
    def build_network(self) -> nn.Module:
        """The network, fresh weights drawn from torch's generator; frozen ones need no gradient."""

    @property
    @abstractmethod
    def steps_in_round(self) -> int:
        """How many batches a round has."""

    @abstractmethod
    def batches(self, number: int, seed: int) -> Iterator[tuple[int, Batch]]:
        """The batches of a round, counted from 1, each with how many examples it has."""

    @abstractmethod
    def loss(self, network: nn.Module, batch: Batch) -> Tensor:
        """The mean loss of a batch."""

    def companions(self) -> Mapping[str, Companion]:
        """New networks trained alongside the task's own; called once, after ``build_network``."""
        return {}

    def backward(self, network: nn.Module, batch: Batch, step: int, steps: int) -> Tensor:
        """Compute the gradients of a step, counted from 0, out of a total; return the mean loss.

        Gradients of the network and of all companions are None before.
        """
        loss = self.loss(network, batch)
        loss.backward()
        return loss

    @abstractmethod
    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        """Held-out metrics of the network, which is in evaluation mode."""

    def evaluate_test(self, network: nn.Module) -> dict[str, float]:
        """Test-set metrics of the selected checkpoint."""
        return {}


@dataclass(frozen=True)
class TrainingOutcome:
    """The network of the best round, its trained weights, and what each round gave.

    ``best`` is the number of that round, counted from 1.
    """

    network: nn.Module
    weights: Tensors
    rounds: list[dict[str, float]]
    best: int
    tested: dict[str, float]

    @property
    def seconds(self) -> float:
        """How long all rounds took."""
        return round(sum(each["seconds"] for each in self.rounds), 1)


def train(
    task: TrainingTask[Any],
    how: Schedule,
    *,
    store: Checkpoint | None = None,
    progress: Progress | None = None,
) -> TrainingOutcome:
    """Train until the rounds are over or the held-out data no longer improve.

    With a ``store`` every finished round is kept there; called again with the same task and
    schedule, training resumes from it. The caller removes it when the outcome is written.
    """
    # The random numbers of the caller are put back, and so are its threads.
    with torch_threads(torch, how.threads), torch.random.fork_rng(devices=[]):
        run = _TrainingRun(task, how, store.read() if store else None)
        while not run.is_over():
            run.round(progress)
            if store:
                store.write(run.progressed())
        return run.outcome()


class _TrainingRun:
    """A training in progress."""

    def __init__(self, task: TrainingTask[Any], how: Schedule, earlier: Progressed | None) -> None:
        self.task, self.how = task, how
        torch.manual_seed(self._seed("weights"))
        self.network = task.build_network()
        self.trained = {
            name: value for name, value in self.network.named_parameters() if value.requires_grad
        }
        self.companions = task.companions()
        self.beside = {
            f"{owner}/{name}": value
            for owner, companion in self.companions.items()
            for name, value in companion.network.named_parameters()
        }
        groups = [{"params": list(self.trained.values()), "relative": 1.0}]
        for companion in self.companions.values():
            relative = companion.learning_rate / how.learning_rate
            groups.append({"params": list(companion.network.parameters()), "relative": relative})
        self.optimiser = torch.optim.AdamW(
            groups, lr=how.learning_rate, weight_decay=how.weight_decay
        )
        self.steps, self.rounds, self.best = 0, list[dict[str, float]](), Tensors()
        if earlier is not None:
            self._restore(earlier)

    def is_over(self) -> bool:
        """Whether all rounds are done, or the held-out data have long not improved."""
        since_best = len(self.rounds) - self.best_round() if self.rounds else 0
        return len(self.rounds) >= self.how.rounds or since_best >= self.how.patience

    def best_round(self) -> int:
        """The number of the best round so far, counted from 1."""
        scores = self._scores()
        return scores.index(max(scores)) + 1

    def round(self, progress: Progress | None) -> None:
        """Take the steps of one round, then ask the held-out data."""
        began, number = time.monotonic(), len(self.rounds) + 1
        torch.manual_seed(self._seed(f"epoch {number}"))
        self.network.train()
        sum_of_losses, seen, gave_back = 0.0, 0, began
        for step, (count, batch) in enumerate(self.task.batches(number, self.how.seed), start=1):
            sum_of_losses += self._step(batch) * count
            seen += count
            if time.monotonic() - gave_back >= _SECONDS_TO_GIVE_BACK:
                release_memory()
                gave_back = time.monotonic()
            if progress:
                name = f"{self.task.round_name} {number} of at most {self.how.rounds}"
                progress(name, step, self.task.steps_in_round)
        self.network.train(mode=False)
        with torch.inference_mode():
            found = self.task.evaluate_dev(self.network)
        release_memory()
        if found[self.task.objective] > max(self._scores(), default=-float("inf")):
            self.best = self._weights()
        took = round(time.monotonic() - began, 1)
        self.rounds.append({"loss": sum_of_losses / seen, **found, "seconds": took})

    def outcome(self) -> TrainingOutcome:
        """The outcome of the training."""
        load_weights(self.network, self.best)
        self.network.train(mode=False)
        with torch.inference_mode():
            tested = self.task.evaluate_test(self.network)
        return TrainingOutcome(self.network, self.best, self.rounds, self.best_round(), tested)

    def _step(self, batch: Any) -> float:
        steps = self.how.rounds * self.task.steps_in_round
        for group in self.optimiser.param_groups:
            group["lr"] = self.how.rate(self.steps, steps) * group["relative"]
        self.optimiser.zero_grad()
        loss = float(self.task.backward(self.network, batch, self.steps, steps).detach())
        if not isfinite(loss):
            raise UnslantError(
                f"The loss is {loss} at step {self.steps + 1} of {steps}, so training has stopped. "
                f"Lower the learning rate."
            )
        if self.how.clip:
            for each in self.optimiser.param_groups:
                nn.utils.clip_grad_norm_(each["params"], self.how.clip)
        self.optimiser.step()
        self.steps += 1
        return loss

    def progressed(self) -> Progressed:
        """The state needed to resume from here."""
        parts = {"now": self._weights(), "best": self.best, "beside": copied(self.beside)}
        for kind in _MEMORY:
            parts[kind] = {
                name: self.optimiser.state[value][kind].numpy().copy()
                for name, value in (self.trained | self.beside).items()
                if value in self.optimiser.state  # it has had a gradient
            }
        tensors = {f"{part}/{name}": value for part in parts for name, value in parts[part].items()}
        return Progressed(self.steps, self.rounds, tensors)

    def _restore(self, earlier: Progressed) -> None:
        self.steps, self.rounds = earlier.steps, earlier.rounds
        parts: dict[str, Tensors] = {}
        for key, value in earlier.tensors.items():
            part, _, name = key.partition("/")
            parts.setdefault(part, {})[name] = value
        self.best = parts["best"]
        load_weights(self.network, parts["now"])
        for name, value in parts.get("beside", {}).items():
            owner, _, own = name.partition("/")
            load_weights(self.companions[owner].network, {own: value})
        everything = self.trained | self.beside
        for name in parts["step"]:
            memory = {kind: torch.from_numpy(parts[kind][name].copy()) for kind in _MEMORY}
            shapes = dict.fromkeys(_MEMORY, everything[name].shape) | {"step": torch.Size()}
            self.optimiser.state[everything[name]] = {
                kind: value.view(shapes[kind]) for kind, value in memory.items()
            }

    def _weights(self) -> Tensors:
        return copied(self.trained)

    def _scores(self) -> list[float]:
        return [each[self.task.objective] for each in self.rounds]

    def _seed(self, purpose: str) -> int:
        return int(generator(self.how.seed, self.task.name, purpose).integers(2**62))


def copied(parameters: Mapping[str, nn.Parameter]) -> Tensors:
    """Parameters as arrays that no later step changes."""
    return {name: value.detach().numpy().copy() for name, value in parameters.items()}


def load_weights(network: nn.Module, weights: Tensors) -> None:
    """Put trained weights into their network."""
    own = dict(network.named_parameters())
    for name, value in weights.items():
        if name not in own or value.size != own[name].numel():
            raise UnslantError(
                f"The trained weights do not fit the network: it has no {legible(name)} of shape "
                f"{value.shape}. They may belong to another version or setting; train them again."
            )
    with torch.no_grad():
        for name, value in weights.items():
            own[name].copy_(torch.from_numpy(value).view_as(own[name]))


# A task that sorts examples into classes: what adversaries and judges may read of it.


@dataclass(frozen=True, eq=False)
class NetworkOutputs:
    """A network's outputs for a batch: one row per sentence, or per tagged token.

    ``protected`` has, for each attribute, the group of each row, -1 if it has none. Rows with the
    same number in ``clusters``, such as those of one name or one sentence, are not independent.
    """

    logits: Tensor
    labels: Tensor
    clusters: Tensor
    protected: Mapping[str, Tensor] = field(default_factory=dict)


class Classified(TrainingTask[Batch]):
    """A task with classes, whose examples may belong to groups of protected attributes.

    ``classes`` are the names of the labels, and ``attributes`` the groups of each protected
    attribute, such as ``{"gender": ("female", "male")}``.
    """

    classes: tuple[str, ...]
    attributes: Mapping[str, tuple[str, ...]]

    @abstractmethod
    def outputs(self, network: nn.Module, batch: Batch) -> NetworkOutputs:
        """The network's outputs for a batch, with the labels and groups of its examples."""

    @abstractmethod
    def held_out_batches(self) -> Iterator[Batch]:
        """The held-out examples, each once, in a fixed order."""

    def loss_of(self, outputs: NetworkOutputs) -> Tensor:
        """The mean loss of the outputs."""
        return cross_entropy(outputs.logits, outputs.labels)

    def loss(self, network: nn.Module, batch: Batch) -> Tensor:
        """The mean loss of a batch."""
        return self.loss_of(self.outputs(network, batch))
