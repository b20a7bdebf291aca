"""The values of measures when words and templates are drawn again."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.numerics.crossed_bootstrap import (
    Array,
    CrossedDraws,
    over_contexts,
)
from unslant.probes.nli.answer_measure import AnswerMeasure, Cells
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.channels import Channel
from unslant.probes.nli.draws import draws_for

_BATCH_BYTES = 96 << 20


@dataclass(frozen=True)
class Resampled:
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
) -> list[Resampled]:
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
        results.append(Resampled(value, own, words, templates, both))
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
