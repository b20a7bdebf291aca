"""The measurements of answers, all on the same resamples of words and templates."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.core.measurement import Draws, Interval, Measurement, WordUse
from unslant.core.seeds import generator
from unslant.core.types import Array, Mask
from unslant.numerics.bootstrap import (
    CrossedDraws,
    over_contexts,
    percentile_bounds,
    stratified_counts,
)
from unslant.probes.nli.answers import AnswerMeasure, Answers, Cells, Channel
from unslant.probes.nli.pairset import PairSet

# The values of measures when words and templates are drawn again.
#
# Words are drawn within their groups and kinds, so that no resample loses the men, the women or
# the pronouns; a word that is the only one of its group and kind is in every resample. Templates
# are drawn from all contexts. Contexts share verbs and objects, and drawing them one by one does
# not see that, so the interval over templates is for new sentences of these verbs and things.

FEW_WORDS = 8

_BATCH_BYTES = 96 << 20


def draws_for(pairs: PairSet, seed: int, resamples: int) -> CrossedDraws:
    """How often each resample draws each word and each context of a set."""
    rng = generator(seed, "crossed bootstrap", pairs.content_hash)
    return CrossedDraws(
        stratified_counts(premise_strata(pairs), resamples, rng),
        stratified_counts(hypothesis_strata(pairs), resamples, rng),
        stratified_counts(np.zeros(len(pairs.grid.contexts), dtype=np.int64), resamples, rng),
    )


def premise_strata(pairs: PairSet) -> NDArray[np.int64]:
    """Which premise words are drawn in place of each other."""
    return _strata(len(pairs.premise_words), tuple(pairs.premise_groups.values()))


def hypothesis_strata(pairs: PairSet) -> NDArray[np.int64]:
    """Which hypothesis words are drawn in place of each other."""
    groups = (*pairs.hypothesis_groups.values(), *pairs.kinds.values())
    return _strata(len(pairs.hypothesis_words), groups)


def _strata(size: int, groups: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """The stratum of each word: words that are in exactly the same groups share one."""
    is_in = np.zeros((size, len(groups) + 1), dtype=np.int64)
    for column, places in enumerate(groups):
        is_in[list(places), column] = 1
    return np.asarray(np.unique(is_in, axis=0, return_inverse=True)[1].reshape(-1))


def roughness(counted: Mask, pairs: PairSet) -> tuple[str, ...]:
    """A warning about an interval that rests on few words."""
    sides = (
        ("premise", np.flatnonzero(counted.any(axis=1)), premise_strata(pairs)),
        ("hypothesis", np.flatnonzero(counted.any(axis=0)), hypothesis_strata(pairs)),
    )
    said = []
    for side, used, strata in sides:
        sizes = np.bincount(strata[used])
        words = len(used)
        if words == 0 or (words == 1 and len(strata) == 1):
            continue  # a side of one word cannot be resampled
        if sizes.max() == 1:
            said.append(
                f"The interval keeps the {words} {side} words: each is the only one of its group "
                f"and kind, so no other can stand in for it."
            )
        elif words < FEW_WORDS:
            sizes = sizes[sizes > 0]
            distinct = float((sizes * (1 - (1 - 1 / sizes) ** sizes)).sum())
            said.append(
                f"The interval is rough, and rather too narrow: it rests on {words} {side} words, "
                f"of which a resample has {distinct:.1f} different ones on average."
            )
    return tuple(said)


@dataclass(frozen=True)
class ResampledMeasure:
    """A value, the averages it comes from, and its draws over words, templates and both."""

    value: float
    cells: Cells
    words: Array
    templates: Array
    both: Array


def resampled(
    measures: Sequence[AnswerMeasure],
    answers: Answers,
    *,
    seed: int,
    resamples: int,
    progress: Progress | None = None,
) -> list[ResampledMeasure]:
    """Every measure on the answers and on the same resamples of them.

    The draws depend on the set and the seed only, so the resamples of two models' answers to one
    set are paired. ``resamples`` may be 0, for the values alone.
    """
    draws = draws_for(answers.set, seed, resamples)
    shape = answers.set.grid.shape
    channels = {channel.name: channel for measure in measures for channel in measure.channels}

    def tables(contexts: NDArray[np.int32]) -> dict[str, Array]:
        return {
            name: over_contexts(partial(_taken, answers, channel), shape, contexts)
            for name, channel in channels.items()
        }

    plain = tables(np.ones((1, shape[2]), dtype=np.int32))
    found: list[list[Array]] = [[] for _ in measures]
    step = max(1, _BATCH_BYTES // (8 * shape[0] * shape[1] * max(1, len(channels))))
    for begin in range(0, resamples, step):
        some = draws[begin : begin + step]
        batch = tables(some.contexts)
        for values, measure in zip(found, measures, strict=True):
            values.append(_three_ways(measure, plain, batch, some))
        if progress:
            progress("Resampling words and templates", begin + len(some), resamples)
    results = []
    for values, measure in zip(found, measures, strict=True):
        own = _cells(measure, plain)
        ones = np.ones((1, shape[0])), np.ones((1, shape[1]))
        value = float(measure.statistic(own, *ones)[0])
        words, templates, both = np.concatenate([np.empty((3, 0)), *values], axis=1)
        results.append(ResampledMeasure(value, own, words, templates, both))
    return results


def _three_ways(
    measure: AnswerMeasure, plain: dict[str, Array], batch: dict[str, Array], draws: CrossedDraws
) -> Array:
    """The values over words, over templates and over both: 3 × resamples."""
    premises = draws.premises.astype(np.float64)
    hypotheses = draws.hypotheses.astype(np.float64)
    own = _cells(measure, batch)
    every = np.ones_like(premises), np.ones_like(hypotheses)
    return np.stack(
        [
            measure.statistic(_cells(measure, plain), premises, hypotheses),
            measure.statistic(own, *every),
            measure.statistic(own, premises, hypotheses),
        ]
    )


def _taken(answers: Answers, channel: Channel, premises: slice) -> Array:
    return channel.of(answers.probabilities[premises])


def _cells(measure: AnswerMeasure, tables: dict[str, Array]) -> Cells:
    return tuple(tables[channel.name] for channel in measure.channels)


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
            **_percentile_details(result),
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


def _percentile_details(result: ResampledMeasure) -> dict[str, float]:
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
