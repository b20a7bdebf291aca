"""A ratio of sums over sentences, with its interval."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unslant.core.measurement import Draws, Interval
from unslant.core.types import Array
from unslant.metrics.uncertainty import Influence, over_pairs

_SHOWN = 10


def ratio_over_sentences(
    sums: Array,
    counts: Array,
    form: Callable[[Array], Array],
    *,
    seed: int,
    purpose: tuple[str, ...],
) -> tuple[float, Interval | None, Draws | None, Array]:
    """form(Σ sums / Σ counts), its BCa interval over sentences, and the value without each.

    Pieces of one sentence depend on each other, so whole sentences are resampled.
    """

    def statistic(samples: tuple[NDArray[np.int64], ...]) -> Array:
        [drawn] = samples
        return form(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))

    value = float(statistic((np.arange(len(sums))[None],))[0])
    interval, draws, by_group = over_pairs(
        statistic, [len(sums)], seed=seed, purpose=purpose, over="sentences"
    )
    return value, interval, draws, by_group[0] if by_group else np.empty(0)


def most_influential(
    value: float, without: Array, sentences: tuple[str, ...], name: str
) -> Influence:
    """The ten sentences whose absence changes the value most, the strongest first."""
    strongest = np.argsort(-np.abs(without - value), kind="stable")[:_SHOWN]
    return tuple(
        {"word": sentences[place], "set": name, "without": float(without[place])}
        for place in strongest.tolist()
    )
