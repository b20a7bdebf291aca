"""A task trained against adversaries, by the one trainer."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.seeds import generator
from unslant.models.adversaries.network import Adversary, Seen, adversary, held_out_facts
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.training.trainer import Batch, Classified, Companion, NetworkOutputs
from unslant.numerics.descent import SHORTEST, perpendicular, product, without, without_each

# The gradient of a predictor's weights joined with those of its adversaries.

Gradient = Sequence[Tensor | None]
"""A tensor for each tensor of weights; None if the loss does not depend on it."""
_Flat = NDArray[np.floating[Any]]


def joined(
    predictor: Gradient,
    adversaries: Mapping[str, Gradient],
    alphas: Mapping[str, float],
    projection: str,
) -> tuple[list[Tensor | None], set[str]]:
    """∇L_P − Σ_z [proj_{∇L_z} ∇L_P + α_z ∇L_z], and which adversaries had no direction.

    For ``projection`` see ``AdversarySettings``.
    """
    everything = [predictor, *adversaries.values()]
    used = [_first(each) for each in zip(*everything, strict=True)]
    sizes = [0 if each is None else each.numel() for each in used]
    step = _flat(predictor, sizes)
    opponents = {name: _flat(each, sizes) for name, each in adversaries.items()}
    ends = np.cumsum([0, *sizes]).tolist()
    parts = [slice(0, ends[-1])]
    if projection == "by-tensor":
        parts = [slice(*each) for each in pairwise(ends) if each[0] < each[1]]
    idle = set(opponents)
    if projection != "none":
        for part in parts:
            idle -= _project(step, opponents, part, projection)
    else:
        idle = {name for name, each in opponents.items() if product(each, each) < SHORTEST**2}
    for name, each in opponents.items():
        if alphas[name]:
            step -= alphas[name] * each
    found: list[Tensor | None] = []
    for place, like in enumerate(used):
        own = torch.from_numpy(step[ends[place] : ends[place + 1]])
        found.append(None if like is None else own.view_as(like))
    return found, idle


def _project(step: _Flat, opponents: Mapping[str, _Flat], part: slice, projection: str) -> set[str]:
    """Project a part of the step; the names of the adversaries that had a direction there."""
    vectors = [each[part] for each in opponents.values()]
    if projection == "whole-sum":
        directions = [None if product(u, u) < SHORTEST**2 else u for u in vectors]
        step[part] = without_each(step[part], directions)
    else:
        directions = perpendicular(vectors)
        step[part] = without(step[part], directions)
    return {name for name, u in zip(opponents, directions, strict=True) if u is not None}


def _first(tensors: Gradient) -> Tensor | None:
    return next((each for each in tensors if each is not None), None)


def _flat(gradient: Gradient, sizes: Sequence[int]) -> _Flat:
    """All entries as one new vector."""
    pieces = [
        np.zeros(size, np.float32) if each is None else each.detach().numpy().ravel()
        for each, size in zip(gradient, sizes, strict=True)
    ]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.float32)


class AdversarialTask(Classified[Batch]):
    """Any task with classes, with an adversary for each of several protected attributes.

    Adversaries descend on their own loss alone. Batches, seeds and fresh weights are those of the
    task, so that a training with adversaries begins where the one without them does.
    """

    def __init__(self, task: Classified[Batch], how: AdversarySettings) -> None:
        for name in how.attributes:
            if name not in task.attributes:
                raise UnknownNameError("protected attribute", name, task.attributes)
        self.task, self.how = task, how
        self.name, self.round_name = task.name, task.round_name
        self.objective = "round" if how.keep == "last" else task.objective
        self.classes, self.attributes = task.classes, task.attributes
        self._strengths = how.strengths()
        self._round, self._seed, self._steps = 0, 0, 0
        self._idle = Counter[str]()
        self.adversaries: dict[str, Adversary] = {}

    def build_network(self) -> nn.Module:
        """The network of the task."""
        return self.task.build_network()

    def companions(self) -> Mapping[str, Companion]:
        """The adversaries, and the task's other companion networks."""
        own = dict(self.task.companions())
        for name in self.how.attributes:
            groups = len(self.attributes[name])
            self.adversaries[name] = adversary(len(self.classes), groups, self.how)
            own[f"adversary {name}"] = Companion(self.adversaries[name], self.how.learning_rate)
        return own

    @property
    def steps_in_round(self) -> int:
        """How many batches a round has."""
        return self.task.steps_in_round

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, Batch]]:
        """The batches of the task."""
        self._round, self._seed = number, seed
        self._idle.clear()
        self._steps = 0
        for each in self.adversaries.values():
            each.train()
        yield from self.task.batches(number, seed)

    def outputs(self, network: nn.Module, batch: Batch) -> NetworkOutputs:
        """The network's outputs for a batch."""
        return self.task.outputs(network, batch)

    def loss_of(self, outputs: NetworkOutputs) -> Tensor:
        """The task's loss."""
        return self.task.loss_of(outputs)

    def held_out_batches(self) -> Iterator[Batch]:
        """The held-out examples of the task."""
        return self.task.held_out_batches()

    def backward(self, network: nn.Module, batch: Batch, step: int, steps: int) -> Tensor:
        """Leave the opposed gradient in the network, and in each adversary its own."""
        self._steps += 1
        outputs = self.task.outputs(network, batch)
        loss = self.task.loss_of(outputs)
        if not torch.isfinite(loss):
            return loss  # the trainer says so
        weights = [value for value in network.parameters() if value.requires_grad]
        slopes: dict[str, Gradient] = {}
        with torch.random.fork_rng(devices=[]):  # the task's own random numbers stay as they are
            torch.manual_seed(int(generator(self._seed, "adversaries", str(step)).integers(2**62)))
            for name, opponent in self.adversaries.items():
                slope = self._step(name, opponent, outputs, weights, step)
                if slope is not None:
                    slopes[name] = slope
        if self.how.only_watch:
            loss.backward()
            return loss
        own = torch.autograd.grad(loss, weights, allow_unused=True)
        alphas = {name: each.at(step, steps) for name, each in self._strengths.items()}
        found, idle = joined(own, slopes, alphas, self.how.projection)
        self._idle.update(idle)
        for value, gradient in zip(weights, found, strict=True):
            value.grad = gradient
        return loss

    def _step(
        self,
        name: str,
        opponent: Adversary,
        outputs: NetworkOutputs,
        weights: list[nn.Parameter],
        step: int,
    ) -> Gradient | None:
        """Set an adversary's gradient; return that of its loss by the predictor's weights."""
        groups = outputs.protected[name]
        known = groups >= 0
        if not known.any():
            self._idle[name] += 1
            return None
        logits = outputs.logits.detach() if self.how.only_watch else outputs.logits
        said = opponent(logits[known].float(), outputs.labels[known])
        loss = cross_entropy(said, groups[known])
        if not torch.isfinite(loss):
            raise UnslantError(
                f"The loss of the {name} adversary is {float(loss.detach())} at step {step + 1}, "
                f"so training has stopped. Lower the adversary's learning rate or its alpha."
            )
        own = list(opponent.parameters())
        if self.how.only_watch:
            slopes: Gradient = torch.autograd.grad(loss, own)
        else:
            slopes = torch.autograd.grad(
                loss, [*own, *weights], retain_graph=True, allow_unused=True
            )
        for value, gradient in zip(own, slopes, strict=False):
            value.grad = gradient
        return slopes[len(own) :]

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        """The task's metrics, the spread of predictions, and each adversary's accuracy."""
        found = {"round": float(self._round), **self.task.evaluate_dev(network)}
        for each in self.adversaries.values():
            each.train(mode=False)
        seen = Seen.of(self.task.outputs(network, batch) for batch in self.held_out_batches())
        found |= held_out_facts(seen, self.adversaries, self.how.fairness)
        found["steps"] = float(self._steps)
        for name in self.how.attributes:
            found[f"{name}_steps_without_direction"] = float(self._idle[name])
        return found

    def evaluate_test(self, network: nn.Module) -> dict[str, float]:
        """The task's test-set metrics."""
        return self.task.evaluate_test(network)
