"""What an intervention did to a language model: its measures before and after, at its output."""

from collections.abc import Sequence

from unslant.concepts import Concept, WordPolicy
from unslant.concepts.contexts import GivenContexts
from unslant.core.files import Progress
from unslant.core.record import Treatment
from unslant.models.language import LanguageModel
from unslant.studies.audit import Audit, audit
from unslant.studies.audit_jobs import GivenJob, jobs_of
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
    if jobs is None:
        every = jobs_of(concept, refitted=True)
        is_all = extent == "all"
        jobs = [job for job in every if is_all or job[0].name in MAIN] if extent != "none" else []
    return audit(
        after,
        concept,
        policy,
        baseline=before,
        jobs=jobs,
        treatment=Treatment(
            expression=after.intervention.expression,
            concept=concept.name,
            stages=tuple(
                stage_facts(stage)
                for step in after.intervention.steps
                for stage in step.eraser.stages
            ),
        ),
        contexts=contexts,
        progress=progress,
    )
