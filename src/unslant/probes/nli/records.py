"""The one call that makes the records of measures."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unslant.core.files import Progress
from unslant.core.measurement import Interval, Measurement, WordUse
from unslant.core.version import __version__
from unslant.numerics.crossed_bootstrap import Array, percentile_bounds
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.draws import roughness
from unslant.probes.nli.measure import Measure
from unslant.probes.nli.resampling import Resampled, resampled

LEVEL = 0.95
OUTSIDE = (
    "The value lies outside its interval: resampling shifts this measure, as it does any length "
    "that is close to 0, so read the interval as a size of the uncertainty only."
)
BOTH = "percentile bootstrap over words and templates"


def measured(
    measures: Sequence[Measure],
    answers: Answers,
    *,
    seed: int = 0,
    resamples: int = 1_000,
    progress: Progress | None = None,
) -> list[Measurement]:
    """The record of each measure, all from the same resamples of words and templates."""
    results = resampled(measures, answers, seed=seed, resamples=resamples, progress=progress)
    return [
        stamped(
            _record(measure, answers, result, seed),
            measure,
            answers,
            seed=seed,
            resamples=resamples,
        )
        for measure, result in zip(measures, results, strict=True)
    ]


def stamped(
    record: Measurement, measure: Measure, answers: Answers, *, seed: int, resamples: int
) -> Measurement:
    """A record with all that it takes to make it again."""
    return replace(
        record,
        better=measure.better,
        words=_words_of(measure, answers),
        parameters={
            "expression": measure.name,
            "subject": answers.set.name,
            "resamples": resamples,
            **record.parameters,
        },
        inputs={
            **answers.inputs,
            "set": answers.set.name,
            "set_sha256": answers.set.content_hash,
            **record.inputs,
        },
        warnings=(
            *record.warnings,
            *(roughness(measure.counted, answers.set) if record.interval else ()),
        ),
        seed=seed,
        version=__version__,
    )


def _record(measure: Measure, answers: Answers, result: Resampled, seed: int) -> Measurement:
    if not np.isfinite(result.value):
        why = measure.why_undefined or (
            f'the set "{answers.set.name}" has no pair that this counts'
        )
        return Measurement(metric=measure.name, title=measure.title, value=None, why_undefined=why)
    found = measure.findings(result.cells, seed)
    interval = interval_of(result.both)
    is_outside = interval and not interval.low <= result.value <= interval.high
    return Measurement(
        metric=measure.name,
        title=measure.title,
        value=result.value,
        interval=interval,
        p=found.p,
        details={
            **found.details,
            "pairs": int(measure.counted.sum()) * len(answers.set.grid.contexts),
            **_bounds_of(result),
        },
        points=found.points,
        warnings=(*found.warnings, *([OUTSIDE] if is_outside else [])),
    )


def interval_of(draws: Array) -> Interval | None:
    """The interval over words and templates together."""
    bounds = percentile_bounds(draws, LEVEL)
    return Interval(low=bounds[0], high=bounds[1], level=LEVEL, how=BOTH) if bounds else None


def _bounds_of(result: Resampled) -> dict[str, float]:
    """The bounds over words alone and over templates alone."""
    found = {}
    for over, draws in (("words", result.words), ("templates", result.templates)):
        if bounds := percentile_bounds(draws, LEVEL):
            found[f"low over {over}"], found[f"high over {over}"] = bounds
    return found


def _words_of(measure: Measure, answers: Answers) -> tuple[WordUse, ...]:
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
