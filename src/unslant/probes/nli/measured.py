"""The measurements of answers, all on the same resamples of words and templates."""

from collections.abc import Sequence

import numpy as np

from unslant.core.files import Progress
from unslant.core.measurement import Draws, Interval, Measurement, WordUse
from unslant.numerics.bootstrap import percentile_bounds
from unslant.probes.nli.answer_measure import AnswerMeasure
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.resampling import ResampledMeasure, resampled, roughness

LEVEL = 0.95
OUTSIDE = (
    "The value lies outside its interval: resampling shifts this measure, as it does any length "
    "that is close to 0, so read the interval as a size of the uncertainty only."
)
BOTH = "percentile bootstrap over words and templates"


def measured(
    measures: Sequence[AnswerMeasure],
    answers: Answers,
    *,
    seed: int = 0,
    resamples: int = 1_000,
    progress: Progress | None = None,
) -> list[Measurement]:
    """Each measure of the answers, with its draws, which pair it with that of other answers."""
    results = resampled(measures, answers, seed=seed, resamples=resamples, progress=progress)
    key = f"{answers.set.content_hash} {seed} {resamples}"
    return [
        _measurement(measure, answers, result, seed, key)
        for measure, result in zip(measures, results, strict=True)
    ]


def _measurement(
    measure: AnswerMeasure, answers: Answers, result: ResampledMeasure, seed: int, key: str
) -> Measurement:
    words = _words_of(measure, answers)
    if not np.isfinite(result.value):
        why = measure.why_undefined or (
            f'the set "{answers.set.name}" has no pair that this counts'
        )
        return Measurement(
            metric=measure.name, title=measure.title, value=None, why_undefined=why, words=words
        )
    found = measure.remarks(result.cells, seed)
    bounds = percentile_bounds(result.both, LEVEL)
    is_outside = bounds is not None and not bounds[0] <= result.value <= bounds[1]
    return Measurement(
        metric=measure.name,
        title=measure.title,
        value=result.value,
        interval=Interval(low=bounds[0], high=bounds[1], level=LEVEL, how=BOTH) if bounds else None,
        p=found.p,
        details={
            **found.details,
            "pairs": int(measure.counted.sum()) * len(answers.set.grid.contexts),
            **_bounds_of(result),
        },
        points=found.points,
        words=words,
        warnings=(
            *found.warnings,
            *([OUTSIDE] if is_outside else []),
            *(roughness(measure.counted, answers.set) if bounds else ()),
        ),
        draws=Draws(key=key, values=result.both, how=BOTH) if bounds else None,
    )


def _bounds_of(result: ResampledMeasure) -> dict[str, float]:
    """The bounds over words alone and over templates alone."""
    found = {}
    for over, draws in (("words", result.words), ("templates", result.templates)):
        if bounds := percentile_bounds(draws, LEVEL):
            found[f"low-over-{over}"], found[f"high-over-{over}"] = bounds
    return found


def _words_of(measure: AnswerMeasure, answers: Answers) -> tuple[WordUse, ...]:
    """The words on either side that the measure looks at."""
    premises, hypotheses = (np.flatnonzero(measure.counted.any(axis=axis)) for axis in (1, 0))
    pairs = answers.set
    sides = (
        ("premises", pairs.premise_words, premises),
        ("hypotheses", pairs.hypothesis_words, hypotheses),
    )
    return tuple(
        WordUse(
            set=side,
            used=tuple(words[place] for place in places),
            missing=pairs.missing.get(side, ()),
        )
        for side, words, places in sides
    )
