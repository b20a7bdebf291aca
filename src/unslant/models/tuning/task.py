"""What the trainer is given to tune a model: any task, and what a record says of it."""

from abc import abstractmethod
from typing import Any, ClassVar, TypeVar

from torch import nn

from unslant.core.record import Fact
from unslant.models.language.weights import Head
from unslant.models.training.trainer import Task
from unslant.models.tuning.network import trainable
from unslant.models.tuning.tuning import Setup, Tuning

Batch = TypeVar("Batch")


class TuningTask(Task[Batch]):
    """The network of a model is trained by a method.

    ``head`` is the one that the method needs; without one the network has none, and the head in
    the model's file stays as it is.
    """

    name = "tuning"
    objective = "score"
    dropouts: tuple[float, float] | None = None

    def __init__(self, how: Tuning, on: Setup, head: Head | None) -> None:
        self.common, self.on, self.head = how, on, head

    def built(self) -> nn.Module:
        """A copy of the model's network."""
        return trainable(self.on.model, self.common.tune, self.head, self.dropouts)

    @property
    def steps_in_round(self) -> int:
        """How many batches a round has."""
        return self.common.steps

    @property
    @abstractmethod
    def facts(self) -> dict[str, Fact]:
        """What was trained on."""

    terms: ClassVar[tuple[tuple[str, str], ...]]
    """The terms of the loss on the held-out part, each with what a record calls it."""


AnyTask = TuningTask[Any]
