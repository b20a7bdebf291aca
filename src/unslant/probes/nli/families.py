"""Which measures belong to which set."""

from collections.abc import Sequence

from unslant.core.errors import UnknownNameError
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.probes.nli.answer_measure import THRESHOLDS, AnswerMeasure
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.fairness import fairness_or_why
from unslant.probes.nli.marked import marked
from unslant.probes.nli.measured import measured
from unslant.probes.nli.neutrality import neutrality
from unslant.probes.nli.pairset import FAMILIES, PairSet
from unslant.probes.nli.retention import retention


def measures_for(
    pairs: PairSet, *, thresholds: Sequence[float] = THRESHOLDS, family: str = ""
) -> tuple[AnswerMeasure, ...]:
    """The measures of a set's family, in the order they are shown in.

    ``family`` asks for those of another family: neutrality makes sense for marked sets too.
    """
    family = family or pairs.family
    if family == "neutrality":
        has_groups = len(pairs.hypothesis_groups) > 1
        return (*neutrality(pairs, thresholds), *([fairness_or_why(pairs)] if has_groups else []))
    if family == "marked":
        return marked(pairs)
    if family == "retention":
        return retention(pairs, thresholds)
    raise UnknownNameError("family of measures", family, FAMILIES)


def measures_of(
    answers: Answers,
    *,
    thresholds: Sequence[float] = THRESHOLDS,
    seed: int = 0,
    resamples: int = 1_000,
    family: str = "",
    progress: Progress | None = None,
) -> list[Measurement]:
    """The records of all measures that belong to the set that was answered."""
    return measured(
        measures_for(answers.set, thresholds=thresholds, family=family),
        answers,
        seed=seed,
        resamples=resamples,
        progress=progress,
    )
