"""Intervals by resampling words: bias-corrected and accelerated (BCa; Efron 1987).

Words are the observations. Each group (targets, attributes, neutral words) is resampled from
itself, with as many words as it has; the acceleration comes from leaving out one word at a time,
which also shows the influence of each word. Resamples of few words vary too little, so the
quantiles of the normal distribution are replaced by √(n/(n − 1)) times those of t with n − 1
degrees of freedom (Hesterberg 2015): for means of 8 skewed values, 95 % intervals then cover 93 %
instead of 89 %. Several groups are weighted by their share of the variance, as in Welch and
Satterthwaite.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Array

Indices = NDArray[np.int64]
Statistic = Callable[[tuple[Indices, ...]], Array]
"""Takes, for each group, an array of samples × words (rows of word numbers); one value a sample."""

RESAMPLES = 2_000
_BATCH = 500
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Resampled:
    """An interval if there is one, the resamples, and the value without each word by group."""

    ends: tuple[float, float] | None
    draws: Array
    without: tuple[Array, ...]


def bca_interval(
    statistic: Statistic,
    sizes: Sequence[int],
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Resampled | None:
    """The BCa interval of a statistic of groups of words; None if it is undefined.

    It is undefined if a group has a single word, or if resampling gives values that are not finite
    (for example because of zero spread) in more than one sample of twenty.
    """
    if min(sizes) < 2:
        return None
    everything = tuple(np.arange(size)[None] for size in sizes)
    value = float(statistic(everything)[0])
    without = leave_one_out(statistic, sizes)
    draws = np.concatenate(
        [
            statistic(tuple(rng.integers(0, size, (count, size)) for size in sizes))
            for count in _batches(resamples)
        ]
    )
    if not is_enough(draws, without):
        return None
    return Resampled(bca_ends(value, draws, without, level), draws, without)


def is_enough(draws: Array, without: Sequence[Array]) -> bool:
    """Whether the jackknife and at least 19 of 20 resamples are finite."""
    lost = np.count_nonzero(~np.isfinite(draws))
    return bool(lost <= 0.05 * len(draws) and np.isfinite(np.concatenate(without)).all())


def bca_ends(
    value: float, draws: Array, without: Sequence[Array], level: float
) -> tuple[float, float] | None:
    """The ends of the BCa interval of a value from its resamples and its jackknife.

    There is none if nearly all resamples lie on one side of the value, as for a mean size near 0:
    quantiles of such resamples would exclude the value itself.
    """
    finite = draws[np.isfinite(draws)]
    tails = _bca_levels(value, finite, np.concatenate(without), _widened(without, level))
    low, high = (float(end) for end in np.quantile(finite, tails))
    rounding = _ROUNDING * max(abs(value), float(np.abs(finite).max()))
    if value < low - rounding or value > high + rounding:
        return None
    if high - low <= rounding < float(np.ptp(finite)):
        return None
    return min(low, value), max(high, value)


def leave_one_out(statistic: Statistic, sizes: Sequence[int]) -> tuple[Array, ...]:
    """The statistic without each word in turn, group by group."""
    found = []
    for group, size in enumerate(sizes):
        rest = np.arange(size)[None].repeat(size, axis=0)[~np.eye(size, dtype=bool)]
        samples = [np.arange(other)[None].repeat(size, axis=0) for other in sizes]
        samples[group] = rest.reshape(size, size - 1)
        parts = [
            statistic(tuple(sample[begin : begin + _BATCH] for sample in samples))
            for begin in range(0, size, _BATCH)
        ]
        found.append(np.concatenate(parts))
    return tuple(found)


def _batches(total: int) -> list[int]:
    return [min(_BATCH, total - done) for done in range(0, total, _BATCH)]


def _widened(without: Sequence[Array], level: float) -> float:
    """The distance of the ends from the value in standard errors, for groups of these sizes."""
    from scipy.special import stdtrit  # scipy.stats takes ten times as long to import

    sizes = np.array([len(values) for values in without], dtype=np.float64)
    parts = np.array([(len(v) - 1) / len(v) * ((v - v.mean()) ** 2).sum() for v in without])
    if not parts.any():
        parts = np.ones_like(sizes)
    parts /= parts.sum()
    freedom = 1 / (parts**2 / (sizes - 1)).sum()
    return float(np.sqrt((parts * sizes / (sizes - 1)).sum()) * stdtrit(freedom, (1 + level) / 2))


def _bca_levels(value: float, draws: Array, jackknife: Array, errors: float) -> list[float]:
    """Which quantiles of the draws bound the interval."""
    normal = NormalDist()
    below = (np.sum(draws < value) + 0.5 * np.sum(draws == value)) / len(draws)
    below = float(np.clip(below, 0.5 / len(draws), 1 - 0.5 / len(draws)))
    bias = normal.inv_cdf(below)
    deviations = jackknife.mean() - jackknife
    scale = float((deviations**2).sum())
    skew = float((deviations**3).sum()) / (6 * scale**1.5) if scale > 0 else 0.0
    levels = []
    for end in (-errors, errors):
        z = bias + end
        levels.append(normal.cdf(bias + z / (1 - skew * z)))
    return levels
