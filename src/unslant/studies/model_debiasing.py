"""What an intervention did to a language model: its measures before and after, at its output."""

from collections.abc import Sequence

from unslant.concepts import Concept, WordPolicy
from unslant.concepts.contexts import GivenContexts
from unslant.core.files import Progress
from unslant.core.record import Treatment
from unslant.models.language import LanguageModel
from unslant.studies.audit import Audit, audit
from unslant.studies.audit_jobs import GivenJob, Job, jobs_of
from unslant.studies.treatment import stage_facts

MAIN = ("weat", "direct-bias", "probing", "relatedness")
"""What is measured by default, where the concept and the data allow it."""


def model_debiasing(
    before: LanguageModel,
    after: LanguageModel,
    concept: Concept,
    policy: WordPolicy | None = None,
    *,
    extent: str = "main",
    jobs: Sequence[GivenJob] | None = None,
    contexts: GivenContexts | None = None,
    progress: Progress | None = None,
) -> Audit:
    """An audit of a model with interventions against the model without them."""
    return audit(
        after,
        concept,
        policy,
        baseline=before,
        jobs=jobs_for_model(concept, extent) if jobs is None else jobs,
        treatment=treatment_of_model(after, concept),
        contexts=contexts,
        progress=progress,
    )


def jobs_for_model(concept: Concept, extent: str = "main") -> list[Job]:
    """What is measured before and after: the main measures, all of them, or none."""
    every = jobs_of(concept, refitted=True) if extent != "none" else []
    return [job for job in every if extent == "all" or job[0].name in MAIN]


def treatment_of_model(model: LanguageModel, concept: Concept) -> Treatment:
    """The interventions that act in a model, as a record says them."""
    steps = model.intervention.steps
    return Treatment(
        expression=model.intervention.expression,
        concept=concept.name,
        stages=tuple(stage_facts(stage) for step in steps for stage in step.eraser.stages),
    )
