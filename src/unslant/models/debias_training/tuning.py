"""Base of methods that train a model: a text, a schedule, a task and a control."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from unslant.concepts import Concept
from unslant.core.files import Progress
from unslant.core.parameters import above, at_least
from unslant.core.places import Place
from unslant.models.training.schedule import Schedule, Tuned

if TYPE_CHECKING:
    from unslant.models.debias_training.task import TuningTask
    from unslant.models.language.base import LanguageModel
    from unslant.models.language.interventions import Intervention
    from unslant.models.language.model import TransformerModel

Fit = Callable[[str, "LanguageModel"], "Intervention"]
"""Fits methods at places, such as ``leace@layer:-1``, in a model."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """The setup of a training: model, concept, where an eraser acts, and how it is fitted."""

    model: "TransformerModel"
    concept: Concept
    place: Place | None = None
    fit: Fit | None = None
    progress: Progress | None = None


@dataclass(frozen=True, kw_only=True)
class Tuning(ABC):
    """The parameters that all methods that train have in common.

    A round is ``steps`` batches, followed by an evaluation on the held-out text; the weights
    of the best round count.
    """

    name: ClassVar[str]

    text: Annotated[str, "A file of running text in UTF-8, plain or compressed."]
    tune: Annotated[str, "The weights to train: all, last:2 (blocks) or adapters:16 (rank)."] = (
        "all"
    )
    rounds: Annotated[int, at_least(1), "Rounds to train."] = 4
    steps: Annotated[int, at_least(1), "Batches in a round."] = 100
    batch: Annotated[int, at_least(1), "Sentences in a batch."] = 32
    learning_rate: Annotated[float, above(0), "The highest learning rate."] = 5e-5
    longest: Annotated[int, at_least(4), "Sentences of more pieces are left out."] = 60
    sentences: Annotated[int, at_least(1), "Read at most N sentences."] = 200_000
    seed: Annotated[int, at_least(0), "The seed of everything random."] = 0

    def __post_init__(self) -> None:
        Tuned.of(self.tune)
        self.schedule()

    @property
    def path(self) -> Path:
        """The file of the text."""
        return Path(self.text)

    def schedule(self) -> Schedule:
        """How long and how fast, as the trainer takes it."""
        return Schedule(
            rounds=self.rounds,
            patience=self.rounds,
            learning_rate=self.learning_rate,
            warm_up=max(1, min(200, self.rounds * self.steps // 10)),
            weight_decay=0.01,
            clip=1.0,
            seed=self.seed,
        )

    @abstractmethod
    def task(self, on: Setup) -> "TuningTask[Any]":
        """The training, ready to run; problems with the model or the text are errors."""

    @abstractmethod
    def control(self, seed: int) -> "Tuning":
        """The same training without what should remove bias."""

    def final(self, on: Setup) -> str:
        """Methods at places that are in effect at the end, to be fitted on the trained model."""
        return ""

    def seeded(self, seed: int) -> "Tuning":
        """The same with another seed."""
        return replace(self, seed=seed)
