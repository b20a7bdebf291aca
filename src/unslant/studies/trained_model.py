"""A language model trained by methods one after the other, each once on a machine."""

from collections.abc import Sequence
from typing import cast

from unslant.concepts import Concept, WordPolicy
from unslant.concepts.contexts import EVERYDAY, GivenContexts, any_contexts_from
from unslant.core.expression import Step
from unslant.core.files import Progress
from unslant.core.record import StageFacts
from unslant.models.debias_training.registry import call_of
from unslant.models.debias_training.training import tuned
from unslant.models.debias_training.tuning import Setup
from unslant.models.language.base import LanguageModel
from unslant.models.language.interventions import Intervention
from unslant.models.language.model import TransformerModel
from unslant.studies.at_places import fit_at_places
from unslant.studies.tunings import Training, check_trainable


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
