"""The treatment of vectors, for a record."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unslant.concepts import Concept
from unslant.concepts.read import own_definition
from unslant.core.record import MovementFacts, StageFacts, Treatment, flat
from unslant.core.references import reference
from unslant.erasers import Eraser, Stage
from unslant.methods.method import DEBIASERS

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel


def treatment_of(
    eraser: Eraser,
    concept: Concept,
    moved: MovementFacts | None = None,
    *,
    is_retrained: bool = False,
    definition: Mapping[str, Any] | None = None,
) -> Treatment:
    """The methods in the order in which they were applied, with all that fitting them says."""
    return Treatment(
        expression=eraser.expression,
        concept=concept.name,
        stages=tuple(stage_facts(stage) for stage in eraser.stages),
        movement=moved,
        is_retrained=is_retrained,
        definition=definition,
    )


def treatment_of_model(model: "LanguageModel", concept: Concept) -> Treatment:
    """The interventions that act in a model, as a record says them."""
    steps = model.intervention.steps
    return Treatment(
        expression=model.intervention.expression,
        concept=concept.name,
        stages=tuple(stage_facts(stage) for step in steps for stage in step.eraser.stages),
        definition=own_definition(concept),
    )


def stage_facts(stage: Stage) -> StageFacts:
    """The record entry of one fitted method."""
    entry = DEBIASERS.entry(stage.method.call.name)
    return StageFacts(
        expression=stage.expression,
        cites=entry.cites,
        reference=reference(entry.cites),
        guarantees=tuple(sorted(entry.facts.guarantees)),
        inputs=dict(stage.inputs),
        parameters=flat(stage.parameters),
        details=flat(stage.details),
        words=stage.words,
        warnings=tuple(stage.warnings),
        seed=stage.seed,
        version=stage.version,
    )
