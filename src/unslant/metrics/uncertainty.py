"""Intervals, influence and p-values for metrics whose observations are words."""

from collections.abc import Mapping, Sequence

from unslant.concepts import WordSets
from unslant.core.measurement import Interval, PValue
from unslant.core.seeds import generator
from unslant.numerics.bootstrap import Array, Statistic, bca_interval
from unslant.numerics.permutation import permutation_test

LEVEL = 0.95
_MOST_INFLUENTIAL = 10

Influence = tuple[Mapping[str, float | str], ...]


def over_words(
    statistic: Statistic,
    sets: WordSets,
    names: Sequence[str],
    value: float,
    *,
    seed: int,
    purpose: str,
) -> tuple[Interval | None, Influence]:
    """The BCa interval over the words of the named sets, and the words that carry the value.

    The influence of a word is what the value would be without it; the ten words that change it
    most are returned, the strongest first.
    """
    sizes = [len(sets.rows[name]) for name in names]
    found = bca_interval(statistic, sizes, generator(seed, "bootstrap", purpose), level=LEVEL)
    if found is None:
        return None, ()
    every: list[dict[str, float | str]] = [
        {"word": word, "set": name, "without": float(without)}
        for name, values in zip(names, found.without, strict=True)
        for word, without in zip(sets.words(name), values, strict=True)
    ]
    every.sort(key=lambda item: -abs(float(item["without"]) - value))
    interval = Interval(low=found.low, high=found.high, level=LEVEL, how="BCa bootstrap over words")
    return interval, tuple(every[:_MOST_INFLUENTIAL])


def split_p_value(
    first: Array,
    second: Array,
    *,
    alternative: str,
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
