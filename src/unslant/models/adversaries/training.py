"""A training against adversaries from its task to what is recorded of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from unslant.core.files import Progress
from unslant.models.adversaries.collapse import collapses
from unslant.models.adversaries.judge import judged
from unslant.models.adversaries.judgement import Judgement
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.adversaries.task import AdversarialTask
from unslant.models.training.checkpoint import Checkpoint
from unslant.models.training.classified import Classified
from unslant.models.training.schedule import Schedule
from unslant.models.training.trainer import Batch, Outcome, train


@dataclass(frozen=True)
class Opposition:
    """What adversaries learnt, and what fresh ones still recover; both on held-out examples."""

    settings: AdversarySettings
    judgements: Mapping[str, Judgement]
    in_training: Mapping[str, float | None]
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a record."""
        return {
            "settings": asdict(self.settings),
            "judged": {name: each.to_dict() for name, each in self.judgements.items()},
            "accuracy_in_training": dict(self.in_training),
            "warnings": list(self.warnings),
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """The verdicts, then the warnings, one sentence each."""
        return (*(each.verdict for each in self.judgements.values()), *self.warnings)


def train_against(
    task: Classified[Batch],
    how: Schedule,
    adversaries: AdversarySettings | None,
    *,
    store: Checkpoint | None = None,
    progress: Progress | None = None,
) -> tuple[Outcome, Opposition | None]:
    """Train a task, against adversaries if there are any, and judge what predictions reveal."""
    if adversaries is None:
        return train(task, how, store=store, progress=progress), None
    opposed = AdversarialTask(task, adversaries)
    outcome = train(opposed, how, store=store, progress=progress)
    judgements = judged(
        task, outcome.network, adversaries, seed=how.seed, threads=how.threads, progress=progress
    )
    kept = outcome.rounds[outcome.best - 1]
    names = adversaries.attributes
    return outcome, Opposition(
        adversaries,
        judgements,
        {name: kept.get(f"{name}_adversary_accuracy") for name in names},
        collapses(outcome.rounds, names, task.classes),
    )
