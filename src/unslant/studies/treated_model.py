"""A language model after a chain of methods, the model before, and controls instead."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from unslant.concepts import Concept, WordPolicy
from unslant.concepts.contexts import EVERYDAY, GivenContexts, any_contexts_from
from unslant.concepts.read import own_definition
from unslant.core.expression import Step
from unslant.core.files import Progress
from unslant.core.places import Place
from unslant.core.record import StageFacts, Treatment
from unslant.datasets.corpora import Corpus
from unslant.methods.chains import GivenChain
from unslant.models.debias_training.registry import call_of
from unslant.models.debias_training.training import tuned
from unslant.models.debias_training.tuning import Setup
from unslant.models.language.base import LanguageModel
from unslant.models.language.interventions import Intervention
from unslant.models.language.model import TransformerModel
from unslant.models.language.resuming import resuming
from unslant.studies.at_places import chain_at_places, fit_at_places
from unslant.studies.random_controls import Match, match_for
from unslant.studies.treatment import stage_facts
from unslant.studies.tunings import Training, check_trainable, split_training_steps, trainings_of

# A language model trained by methods one after the other, each once on a machine.


def trained(
    trainings: Sequence[Training],
    model: LanguageModel,
    concept: Concept,
    policy: WordPolicy | None = None,
    *,
    contexts: GivenContexts = EVERYDAY,
    progress: Progress | None = None,
) -> tuple[LanguageModel, tuple[StageFacts, ...]]:
    """The model after all of them, each trained once on a machine, and what records say."""
    around = any_contexts_from(contexts)

    def fit(methods: str, current: LanguageModel) -> Intervention:
        return fit_at_places(methods, current, concept, policy, contexts=around)

    stages: list[StageFacts] = []
    for training in trainings:
        check_trainable(Step(call_of(training.method), training.place), model)
        on = Setup(
            model=cast(TransformerModel, model),
            concept=concept,
            place=training.place,
            fit=fit,
            progress=progress,
        )
        words = f"{policy} {around.content_hash}" if training.place is not None else ""
        model, done = tuned(training.method, on, words)
        stages += done
    return model, tuple(stages)


_APART = 1_009
"""Seeds of controls at the places of one model are this far apart, so that no two agree."""


@dataclass(frozen=True)
class TreatedModel:
    """A model, and the result of a chain of methods for a concept.

    Methods that train come first and make the ``tuned`` model, which is the model itself if there
    are none; erasers were fitted on that one.
    """

    before: LanguageModel
    intervention: Intervention
    concept: Concept
    tuned: LanguageModel
    trainings: tuple[Training, ...] = ()
    stages: tuple[StageFacts, ...] = ()
    """The trainings' entry in a record."""

    @property
    def after(self) -> LanguageModel:
        """The model with the methods."""
        if not self.intervention.steps:
            return self.tuned
        return self.tuned.intervened(self.intervention)

    @property
    def directions(self) -> int:
        """How many directions the erasers weaken or remove, at all places together."""
        return sum(match.directions for match in self._matches)

    @property
    def why_no_controls(self) -> str:
        """Why random directions cannot replace one of the erasers; empty if they can."""
        return next((match.why_none for match in self._matches if match.why_none), "")

    @cached_property
    def _matches(self) -> tuple[Match, ...]:
        return tuple(match_for(step.eraser) for step in self.intervention.steps)

    @property
    def treatment(self) -> Treatment:
        """The treatment of the model, for a record."""
        steps = self.after.intervention.steps
        erasers = self.intervention.expression
        return Treatment(
            expression=" | ".join([*map(str, self.trainings), *([erasers] if erasers else [])]),
            concept=self.concept.name,
            stages=(
                *self.stages,
                *(stage_facts(stage) for step in steps for stage in step.eraser.stages),
            ),
            is_retrained=bool(self.trainings),
            definition=own_definition(self.concept),
        )

    @property
    def instead(self) -> str:
        """A description of the controls, if they are more than random directions."""
        if not self.trainings:
            return ""
        controls = " | ".join(str(each.control(0)) for each in self.trainings)
        return f"the same training without its debiasing term ({controls})"

    def controls(
        self, count: int, seed: int, progress: Progress | None = None
    ) -> Iterator[LanguageModel]:
        """The same trainings without debiasing, and as many random directions removed after.

        There are none if no number of random directions matches the erasers.
        """
        if self.why_no_controls:
            return
        taken = {
            seed - _APART * place
            for match in self._matches
            for seed in match.taken
            for place in range(len(self._matches))
        }
        for number, first in enumerate(Match(taken=frozenset(taken)).seeds(count, seed)):
            others = [each.control(number) for each in self.trainings]
            model, _ = trained(others, self.before, self.concept, progress=progress)
            if not self.intervention.steps:
                yield model
                continue
            chain = " | ".join(
                f"random(seed={first + _APART * place}, k={match.directions})@{step.place}"
                for place, (step, match) in enumerate(
                    zip(self.intervention.steps, self._matches, strict=True)
                )
            )
            yield model.intervened(fit_at_places(chain, model, self.concept))


def treated_model(
    method: GivenChain,
    model: LanguageModel,
    concept: Concept,
    policy: WordPolicy | None = None,
    *,
    contexts: GivenContexts | None = None,
    corpus: Corpus | None = None,
    progress: Progress | None = None,
) -> TreatedModel:
    """The model after a chain: trained first, then with erasers fitted at their places.

    Erasers are fitted on words in ``contexts``, by default everyday ones, or on sentences of a
    ``corpus``.
    """
    contexts = contexts or EVERYDAY
    first, rest = split_training_steps(method)
    trainings = trainings_of(first, model)
    chain = chain_at_places(rest, model) if len(rest) else None  # before hours of training
    tuned, stages = trained(trainings, model, concept, policy, contexts=contexts, progress=progress)
    fitted = Intervention(())
    if chain is not None:
        fitted = fit_at_places(
            chain, tuned, concept, policy, contexts=contexts, corpus=corpus, progress=progress
        )
    return TreatedModel(model, fitted, concept, tuned, tuple(trainings), stages)


def shared_blocks(
    model: LanguageModel, places: list[Place] | None = None
) -> AbstractContextManager[Any]:
    """A context in which variants of a model share their common blocks, if it has blocks."""
    if places == [] or not isinstance(model, TransformerModel):
        return nullcontext()
    return resuming(model, places)
