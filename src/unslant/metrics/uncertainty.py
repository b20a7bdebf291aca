"""Intervals, influence and p-values for metrics whose observations are words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from unslant.concepts import WordSets
from unslant.core.measurement import Draws, Interval, Measurement, PValue
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.numerics.bootstrap import Resampled, Statistic, bca_interval
from unslant.numerics.permutation import permutation_test

LEVEL = 0.95

_MOST_INFLUENTIAL = 10

_FEW = 8
"""With fewer words in a set, 95 % intervals cover about 90 % (tests/numerics/test_bootstrap.py)."""

Spread = tuple[Interval | None, Draws | None]
"""An interval and the resamples that it comes from."""

Influence = tuple[Mapping[str, float | str], ...]

Alternative = Literal["two-sided", "greater", "less"]
"""Which effects count against the hypothesis that there is none."""


def over_words(
    found: Measurement,
    statistic: Statistic,
    sets: WordSets,
    names: Sequence[str],
    *,
    seed: int,
    purpose: str,
    values_only: bool = False,
) -> Measurement:
    """The measurement with its BCa interval over the named sets, and its most influential words.

    The influence of a word is the value without it; the ten words that change it most are kept,
    the strongest first. A note on the interval becomes a warning. With ``values_only`` nothing is
    resampled.
    """
    if values_only:
        return found
    value = found.value
    assert value is not None, "only a value has an interval"
    sizes = [sets.size(name) for name in names]
    drawn = bca_interval(statistic, sizes, generator(seed, "bootstrap", purpose), level=LEVEL)
    if drawn is None:
        return found
    every: list[dict[str, float | str]] = [
        {"word": word, "set": name, "without": float(without)}
        for name, values in zip(names, drawn.without, strict=True)
        for word, without in zip(sets.words(name), values, strict=True)
    ]
    every.sort(key=lambda item: -abs(float(item["without"]) - value))
    interval, doubts = interval_of(drawn, "words", min(sizes))
    if interval is not None:  # the same number, summed in another order, may differ in rounding
        low, high = min(interval.low, value), max(interval.high, value)
        interval = replace(interval, low=low, high=high)
    return replace(
        found,
        interval=interval,
        influence=tuple(every[:_MOST_INFLUENTIAL]),
        warnings=(*found.warnings, *doubts),
        draws=draws_of(drawn, sizes, seed, purpose, over="words"),
    )


def draws_of(
    found: Resampled, sizes: Sequence[int], seed: int, purpose: str, *, over: str
) -> Draws:
    """The resamples, under a key that is the same for all that is resampled in the same way."""
    return Draws(
        key=f"{purpose} {seed} {' '.join(map(str, sizes))}",
        values=found.draws,
        without=found.without,
        how=f"BCa bootstrap over {over}",
    )


def over_pairs(
    statistic: Statistic, sizes: Sequence[int], *, seed: int, purpose: Sequence[str], over: str
) -> tuple[Interval | None, Draws | None, tuple[Array, ...]]:
    """The BCa interval of questions or pairs, the resamples, and the value without each."""
    found = bca_interval(statistic, sizes, generator(seed, "bootstrap", *purpose), level=LEVEL)
    if found is None:
        return None, None, ()
    draws = draws_of(found, sizes, seed, " ".join(purpose), over=over)
    return interval_of(found, over, min(sizes))[0], draws, found.without


def interval_of(
    found: Resampled, over: str, smallest: int
) -> tuple[Interval | None, tuple[str, ...]]:
    """The interval from resampling, and notes about it."""
    if found.ends is None:
        return None, (
            f"no interval: nearly all resamples of {over} lie on one side of the value, as "
            f"happens near the end of its range",
        )
    low, high = found.ends
    how = f"BCa bootstrap over {over}, widened for small sets (smallest: {smallest})"
    doubts: tuple[str, ...] = ()
    if smallest < _FEW:
        doubts = (
            f"with {smallest} {over} in the smallest set the 95 % interval covers about 90 % or "
            f"less",
        )
    return Interval(low=low, high=high, level=LEVEL, how=how), doubts


def split_p_value(
    first: Array,
    second: Array,
    *,
    alternative: Alternative,
    resamples: int,
    seed: int,
    purpose: str,
    relative_error: float = 2e-3,
) -> PValue:
    """The p-value of the difference of two mean scores, over all splits of the words."""
    rng = generator(seed, "splits", purpose)
    test = permutation_test(
        first,
        second,
        rng,
        alternative=alternative,
        resamples=resamples,
        relative_error=relative_error,
    )
    return PValue(
        value=test.p_value,
        how=test.how,
        alternative=alternative,
        outcomes=test.outcomes,
        error=test.error,
    )
