"""The effect of a method: the concept's main measures before and after, quality, and movement."""

from collections.abc import Mapping
from dataclasses import replace

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import UnknownNameError
from unslant.core.files import Progress
from unslant.core.record import MovementFacts
from unslant.erasers import Eraser
from unslant.methods.movement import movement
from unslant.studies.audit import Audit, audit
from unslant.studies.audit_jobs import Job, jobs_of
from unslant.studies.random_controls import match_for
from unslant.studies.treatment import treatment_of
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
    moved: MovementFacts | None = None,
    extent: str = "main",
    jobs: list[Job] | None = None,
    progress: Progress | None = None,
) -> Audit:
    """An audit of debiased vectors against the original ones and random controls.

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
        match=match_for(eraser),
        progress=progress,
    )


def with_eraser(done: Audit, sha256: str) -> Audit:
    """The same record with the hash of the file that the eraser was written to."""
    assert done.record.treatment is not None
    treatment = replace(done.record.treatment, eraser_sha256=sha256)
    return Audit(replace(done.record, treatment=treatment))


def check_extent(extent: str) -> None:
    """Refuse a name that is not one of ``EXTENTS``."""
    if extent not in EXTENTS:
        raise UnknownNameError("extent of measuring", extent, EXTENTS)


def jobs_for(concept: Concept, extent: str, *, refitted: bool = True) -> list[Job]:
    """The measures taken before and after a method."""
    check_extent(extent)
    if extent == "none":
        return []
    every = jobs_of(concept, refitted=refitted)
    return [job for job in every if extent == "all" or job[0].name in MAIN]
