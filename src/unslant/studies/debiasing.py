"""What a method did: the concept's main measures before and after, quality, and movement."""

from collections.abc import Mapping

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import UnknownNameError
from unslant.core.references import reference
from unslant.erasers import Stage
from unslant.methods import DEBIASERS, Eraser
from unslant.methods.movement import Movement, movement
from unslant.studies.audit import Audit, Job, Step, audit, jobs_of
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
"""What is measured by default: each in seconds, and each of another kind."""

EXTENTS: Mapping[str, str] = {
    "main": f"{', '.join(MAIN)}, where the concept has them",
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
    step: Step | None = None,
) -> Audit:
    """An audit of debiased vectors against those they came from, with what was done to them.

    ``moved`` is how far they moved, where that was counted while the eraser was applied.
    """
    done = audit(
        after, concept, policy, baseline=before, jobs=_jobs(concept, extent), step=step
    ).older
    done["debiasing"] = {
        "expression": eraser.expression,
        "stages": [{**stage.to_dict(), **_claims(stage)} for stage in eraser.stages],
        "movement": (moved or movement(before, after)).to_dict(),
    }
    return Audit(done)


def check_extent(extent: str) -> None:
    """Refuse a name that is not one of ``EXTENTS``."""
    if extent not in EXTENTS:
        raise UnknownNameError("extent of measuring", extent, EXTENTS)


def _claims(stage: Stage) -> dict[str, object]:
    entry = DEBIASERS.entry(stage.method.call.name)
    return {
        "cites": entry.cites,
        "reference": reference(entry.cites),
        "guarantees": sorted(entry.facts.guarantees),
    }


def _jobs(concept: Concept, extent: str) -> list[Job]:
    check_extent(extent)
    if extent == "none":
        return []
    return [
        job for job in jobs_of(concept, refitted=True) if extent == "all" or job[0].name in MAIN
    ]
