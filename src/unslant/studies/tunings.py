"""Split off the training methods at the beginning of a chain, and check them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, cast

from unslant.core.components import component_of
from unslant.core.errors import UnslantError
from unslant.core.expression import Chain, Step, parse_chain
from unslant.core.places import Place
from unslant.models.debias_training.registry import TUNINGS, call_of

if TYPE_CHECKING:
    from unslant.methods.chains import GivenChain
    from unslant.models.debias_training.tuning import Tuning
    from unslant.models.language.base import LanguageModel

_OUTSIDE = ("sentence", "pooled")
"""Places that the model's own loss does not read."""


@dataclass(frozen=True)
class Training:
    """One method that trains, and the place where it acts meanwhile, if it does."""

    method: Tuning
    place: Place | None = None

    def __str__(self) -> str:
        return str(Step(call_of(self.method), self.place))

    def control(self, number: int) -> Training:
        """The same training without what should remove bias, with one of several seeds."""
        return replace(self, method=self.method.control(self.method.seed + number))


@cache
def tuning_names() -> frozenset[str]:
    """The names of all methods that train."""
    return frozenset(entry.name for entry in TUNINGS)


def is_tuning(step: Step) -> bool:
    """Whether a step trains the model.

    >>> [is_tuning(step) for step in parse_chain("cda(text=novels.txt) | leace@layer:-1")]
    [True, False]
    """
    return step.call.name in tuning_names()


def split_training_steps(expression: GivenChain) -> tuple[tuple[Step, ...], Chain]:
    """The steps that train, which come first, and the methods at places after them."""
    chain = parse_chain(expression) if isinstance(expression, str) else expression
    steps = tuple(chain)
    count = next((n for n, step in enumerate(steps) if not is_tuning(step)), len(steps))
    late = next((step for step in steps[count:] if is_tuning(step)), None)
    if late is not None:
        raise UnslantError(
            f"{late} trains the model, so it comes before methods at places: they are fitted on "
            f"the weights that act. To train with an eraser in effect, use "
            f"leace-in-training(text=FILE)@layer:-1."
        )
    return steps[:count], Chain(steps[count:])


def trainings_of(steps: Sequence[Step], model: LanguageModel | None = None) -> list[Training]:
    """The methods that train with their parameters checked, and with the model if there is one."""
    trainings = []
    for step in steps:
        facts = TUNINGS.entry(step.call.name).facts
        if facts.at_place and step.place is None:
            raise UnslantError(f"Say where {step} should act, as in {step}@layer:-1.")
        if not facts.at_place and step.place is not None:
            raise UnslantError(
                f"{step.call.name} trains the weights and acts at no place. Write {step.call} "
                f"instead of {step}."
            )
        method = cast("Tuning", component_of(TUNINGS, step.call))
        trainings.append(Training(method, step.place))
        if model is not None:
            check_trainable(step, model)
    return trainings


def check_trainable(step: Step, model: LanguageModel) -> None:
    """Refuse a model that a method cannot train, from headers alone."""
    from unslant.models.language.model import TransformerModel

    if not isinstance(model, TransformerModel):
        raise UnslantError(
            f"{step.call.name} trains transformers, and {model.name} is an ELMo. Use methods at "
            f"its places, such as elmo-all."
        )
    if model.intervention.steps:
        raise UnslantError(
            f"{model.name} has erasers in effect, which training would not know. Train the model "
            f"that it was made of, and fit the erasers after that."
        )
    needs, layout = TUNINGS.entry(step.call.name).facts.needs, model.layout
    if needs == "a masked head" and layout.architecture.is_decoder:
        raise UnslantError(
            f"{step.call.name} needs a model that fills gaps, and {model.name} is a decoder. Use "
            f"cda, dropout or context-debias."
        )
    if needs != "any model" and not layout.has_head:
        train = ", or train one: unslant train heads MODEL --text TEXT -o OUT"
        raise UnslantError(
            f"{step.call.name} needs {needs}, and {model.name} has none. Use a model that was "
            f"saved with its head{train if layout.kind == 'bert' else '.'}"
        )
    if step.place is not None:
        model.site(step.place)
        if step.place.part in _OUTSIDE or step.place.tokens == "word":
            raise UnslantError(
                f"{step} cannot act at {step.place} in training: the loss does not read it. Name a "
                f"layer, as in {step.call}@layer:-1."
            )


def refuse_tunings(expression: GivenChain, vectors: str) -> None:
    """Refuse methods that train a language model where there are only word vectors."""
    chain = parse_chain(expression) if isinstance(expression, str) else expression
    for step in chain:
        if is_tuning(step):
            raise UnslantError(
                f"{step.call.name} trains a language model, and {vectors} has only vectors. Name "
                f"the folder of a model, or another method."
            )
