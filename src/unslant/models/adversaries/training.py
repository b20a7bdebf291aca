"""Train a task against adversaries, and record the outcome."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from unslant.core.files import Progress
from unslant.models.adversaries.leakage_probe import Judgement, judged
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.adversaries.task import AdversarialTask
from unslant.models.training.checkpoint import Checkpoint
from unslant.models.training.schedule import Schedule
from unslant.models.training.trainer import Batch, Classified, TrainingOutcome, train

# Signs that the game of predictor and adversaries went wrong, in words.

Round = Mapping[str, float]

NEARLY_ALL = 0.99
"""A predictor that assigns this share to one class has collapsed, unless most are of it."""
_APART = 0.04
DIVERGED = 1.5
"""An adversary whose loss exceeds that of guessing by this factor has diverged."""


def collapses(
    rounds: Sequence[Round], attributes: Sequence[str], classes: Sequence[str]
) -> tuple[str, ...]:
    """Signs of collapse, with their rounds, from the held-out examples; empty if there are none."""
    found = []
    if at := _where(rounds, _says_one_class):
        worst = rounds[at[-1] - 1]
        name = classes[int(worst["most_predicted"])]
        found.append(
            f'The predictor collapsed in {_rounds(at)}: it predicts "{name}" for '
            f"{worst['most_predicted_share']:.1%} of the held-out examples, and "
            f"{worst['its_true_share']:.1%} are. Lower alpha or the learning rate."
        )
    at = _where(rounds, lambda each: each["right_share"] <= each["majority_share"])
    if at:
        worst = rounds[at[-1] - 1]
        found.append(
            f"The predictor is no better than the most frequent class in {_rounds(at)}: "
            f"{worst['right_share']:.1%} right, and guessing gives {worst['majority_share']:.1%}."
        )
    for name in attributes:
        if at := _where(rounds, lambda each, name=name: _diverged(each, name)):  # type: ignore[misc]
            worst = rounds[at[-1] - 1]
            found.append(
                f"The {name} adversary diverged in {_rounds(at)}: its held-out loss is "
                f"{worst[f'{name}_adversary_loss']:.2f}, and guessing by frequency gives "
                f"{worst[f'{name}_chance_loss']:.2f}. It does not show what predictions reveal; "
                f"raise its learning rate or lower alpha."
            )
        idle = sum(each.get(f"{name}_steps_without_direction", 0) for each in rounds)
        steps = sum(each.get("steps", 0) for each in rounds)
        if idle:
            found.append(
                f"The {name} adversary had no gradient of its own in {idle:,.0f} of {steps:,.0f} "
                f"steps (no example with a group, a gradient of 0, or that of another adversary); "
                f"nothing was projected on it there."
            )
    return tuple(found)


def _says_one_class(each: Round) -> bool:
    share = each["most_predicted_share"]
    return share >= NEARLY_ALL and share - each["its_true_share"] > _APART


def _diverged(each: Round, name: str) -> bool:
    guessed = each.get(f"{name}_chance_loss", 0.0)
    return guessed > 0 and each[f"{name}_adversary_loss"] > DIVERGED * guessed


def _where(rounds: Sequence[Round], holds: Callable[[Round], bool]) -> list[int]:
    """The numbers of the rounds, from 1, for which a condition holds."""
    return [number for number, each in enumerate(rounds, start=1) if holds(each)]


def _rounds(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"round {numbers[0]}"
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"rounds {numbers[0]} to {numbers[-1]}"
    return f"rounds {', '.join(map(str, numbers))}"


@dataclass(frozen=True)
class Opposition:
    """Accuracies of the training adversaries and of fresh ones, on held-out examples."""

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
) -> tuple[TrainingOutcome, Opposition | None]:
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
