"""What a method did: the concept's main measures before and after, quality, and movement."""

from collections.abc import Mapping

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import UnknownNameError
from unslant.core.expression import parse_call
from unslant.core.files import Progress
from unslant.core.record import Moved, MovementFacts, StageFacts, Treatment
from unslant.core.references import reference
from unslant.erasers import Eraser, Stage
from unslant.methods import DEBIASERS
from unslant.methods.movement import Movement, movement
from unslant.studies.audit import Audit, audit
from unslant.studies.audit_jobs import Job, jobs_of
from unslant.vectors import WordVectors

MAIN = (
    "weat",
    "direct-bias",
    "midb",
    "clustering",
    "recoverability",
    "sembias",
    "similarity",
    "analogy",
)
"""What is measured by default: each takes seconds, and each is of another kind."""

EXTENTS: Mapping[str, str] = {
    "main": f"{', '.join(MAIN)}, if the concept has them",
    "all": "everything that an audit measures",
    "none": "nothing",
}


def debiasing(
    before: WordVectors,
    after: WordVectors,
    eraser: Eraser,
    concept: Concept,
    policy: WordPolicy | None = None,
    *,
    moved: Movement | None = None,
    extent: str = "main",
    jobs: list[Job] | None = None,
    progress: Progress | None = None,
) -> Audit:
    """An audit of debiased vectors against the original ones, with what was done to them.

    ``moved`` is how far they moved, if that was counted while the eraser was applied; ``jobs``
    replace those of the ``extent``.
    """
    return audit(
        after,
        concept,
        policy,
        baseline=before,
        jobs=jobs_for(concept, extent) if jobs is None else jobs,
        treatment=treatment_of(eraser, concept, moved or movement(before, after)),
        progress=progress,
    )


def treatment_of(
    eraser: Eraser, concept: Concept, moved: Movement | None = None, *, is_retrained: bool = False
) -> Treatment:
    """What a record says about a fitted chain of methods."""
    return Treatment(
        expression=eraser.expression,
        concept=concept.name,
        stages=tuple(_stage(stage) for stage in eraser.stages),
        movement=None if moved is None else _movement(moved),
        is_retrained=is_retrained,
    )


def check_extent(extent: str) -> None:
    """Refuse a name that is not one of ``EXTENTS``."""
    if extent not in EXTENTS:
        raise UnknownNameError("extent of measuring", extent, EXTENTS)


def jobs_for(concept: Concept, extent: str) -> list[Job]:
    """What is measured before and after a method."""
    check_extent(extent)
    if extent == "none":
        return []
    every = jobs_of(concept, refitted=True)
    return [job for job in every if extent == "all" or parse_call(job[0]).name in MAIN]


def _stage(stage: Stage) -> StageFacts:
    entry = DEBIASERS.entry(parse_call(stage.expression).name)
    return StageFacts(
        expression=stage.expression,
        cites=entry.cites,
        reference=reference(entry.cites),
        guarantees=tuple(sorted(entry.facts.guarantees)),
        inputs=stage.inputs,
        parameters=stage.parameters,
        details=stage.details,
        words=stage.words,
        warnings=stage.warnings,
        seed=stage.seed,
        version=stage.version,
    )


def _movement(moved: Movement) -> MovementFacts:
    return MovementFacts(
        words=moved.words,
        share_changed=moved.share_changed,
        share_turned=moved.share_turned,
        mean_degrees=moved.mean_degrees,
        most_degrees=moved.most_degrees,
        moved_most=tuple(
            Moved(word=str(item["word"]), degrees=float(item["degrees"]))
            for item in moved.moved_most
        ),
    )
