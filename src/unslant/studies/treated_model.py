"""A language model with methods at its places, the model before, and random directions instead."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from unslant.concepts import Concept, WordPolicy
from unslant.concepts.contexts import EVERYDAY, GivenContexts
from unslant.core.files import Progress
from unslant.core.places import Place
from unslant.erasers import EachVector, Eraser, LowRank
from unslant.methods import GivenChain
from unslant.models.language import LanguageModel, TransformerModel
from unslant.models.language.interventions import Intervention
from unslant.models.language.resuming import resuming
from unslant.studies.at_places import fit_at_places
from unslant.studies.treatment import directions_removed

_APART = 1_009
"""Seeds of controls at the places of one model are this far apart, so that no two agree."""


@dataclass(frozen=True)
class TreatedModel:
    """Methods fitted at places of a model, by a concept."""

    before: LanguageModel
    intervention: Intervention
    concept: Concept

    @property
    def after(self) -> LanguageModel:
        """The model with the methods."""
        return self.before.intervened(self.intervention)

    @property
    def directions(self) -> int:
        """How many directions the methods weaken or remove, at all places together."""
        return sum(_rank(step.eraser) for step in self.intervention.steps)

    def controls(self, count: int, seed: int) -> Iterator[LanguageModel]:
        """The model with as many random directions removed at the same places, several times."""
        for number in range(count):
            chain = " | ".join(
                f"random(seed={seed + number + _APART * place}, k={_rank(step.eraser)})"
                f"@{step.place}"
                for place, step in enumerate(self.intervention.steps)
            )
            yield self.before.intervened(fit_at_places(chain, self.before, self.concept))


def treated_model(
    method: GivenChain,
    model: LanguageModel,
    concept: Concept,
    policy: WordPolicy | None = None,
    *,
    contexts: GivenContexts | None = None,
    progress: Progress | None = None,
) -> TreatedModel:
    """The methods of a chain fitted at their places, on words in ``contexts``."""
    fitted = fit_at_places(
        method, model, concept, policy, contexts=contexts or EVERYDAY, progress=progress
    )
    return TreatedModel(model, fitted, concept)


def shared_blocks(
    model: LanguageModel, places: list[Place] | None = None
) -> AbstractContextManager[Any]:
    """A context in which variants of a model share the blocks they agree on, where it has any."""
    return resuming(model, places) if isinstance(model, TransformerModel) else nullcontext()


def _rank(eraser: Eraser) -> int:
    """How many directions an eraser acts along, fewer than there are."""
    maps = [step.transform for step in eraser.steps if isinstance(step, EachVector)]
    ranks = [len(each.read) for each in maps if isinstance(each, LowRank)]
    found = max(ranks) if ranks else directions_removed(eraser)
    return max(1, min(found, eraser.dim - 1))
