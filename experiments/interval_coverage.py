"""How often 95 % intervals of small sets hold the true value: figures of docs/statistics.md.

    python -m experiments.interval_coverage

Means of |x| for normal x, and WEAT effects of a made-up table of cosines in which words, attributes
and their meeting each have a part. The true value comes from sets of 1,500 words.
"""

import numpy as np

from unslant.core.types import Array
from unslant.metrics.weat import _standardised
from unslant.numerics.bootstrap import Indices, Statistic, bca_interval

Tables = dict[tuple[int, int], Array]

ROUNDS = 500
RESAMPLES = 1_000


def means(size: int, rng: np.random.Generator) -> float:
    """The share of intervals of a mean of sizes that hold the true mean."""
    true, hits = (2 / np.pi) ** 0.5, 0
    for _ in range(ROUNDS):
        values = np.abs(rng.normal(size=size))
        hits += _holds(_mean_of(values), [size], true, rng)
    return hits / ROUNDS


def effects(size: int, effect: float, rng: np.random.Generator) -> float:
    """The share of intervals of a WEAT effect that hold the one of very many words."""
    true = float(_weat(_tables(1_500, effect, np.random.default_rng(0)))(_everything(1_500))[0])
    hits = sum(
        _holds(_weat(_tables(size, effect, rng)), [size] * 4, true, rng) for _ in range(ROUNDS)
    )
    return hits / ROUNDS


def _mean_of(values: Array) -> Statistic:
    return lambda samples: np.asarray(values[samples[0]].mean(axis=1))


def _holds(statistic: Statistic, sizes: list[int], true: float, rng: np.random.Generator) -> bool:
    found = bca_interval(statistic, sizes, rng, resamples=RESAMPLES)
    return found is not None and found.ends is not None and found.ends[0] <= true <= found.ends[1]


def _tables(size: int, effect: float, rng: np.random.Generator) -> Tables:
    """Cosines of two target sets with two attribute sets, all of one size."""
    words = [0.25 * rng.normal(size=(size, 1)) for _ in range(2)]
    attributes = [0.5 * rng.normal(size=(1, size)) for _ in range(2)]
    return {
        (i, j): effect * (i == j)
        + words[i] * (1 if j == 0 else -1)
        + attributes[j]
        + 0.7 * rng.normal(size=(size, size))
        for i in range(2)
        for j in range(2)
    }


def _weat(tables: Tables) -> Statistic:
    def statistic(samples: tuple[Indices, ...]) -> Array:
        columns = []
        for target in range(2):
            near, far = (tables[target, j][:, samples[2 + j]].mean(axis=2) for j in range(2))
            columns.append(np.take_along_axis((near - far).T, samples[target], axis=1))
        return _standardised(np.concatenate(columns, axis=1), samples[0].shape[1], 1)

    return statistic


def _everything(size: int) -> tuple[Indices, ...]:
    return tuple(np.arange(size)[None] for _ in range(4))


def main() -> None:
    rng = np.random.default_rng(1)
    for size in (5, 8, 16):
        print(f"mean of {size} skewed values: {means(size, rng):.3f}", flush=True)
    for size, effect in ((8, 0.0), (8, 0.3), (8, 1.0), (16, 0.3)):
        print(
            f"WEAT, {size} words a set, shift {effect}: {effects(size, effect, rng):.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
