"""The correlations of every two variables, for tests of the one that is computed."""

import numpy as np
from numpy.typing import ArrayLike

from unslant.numerics.bootstrap import RESAMPLES
from unslant.numerics.correlation import PERMUTATIONS, Correlation, correlation


def correlation_matrix(
    data: ArrayLike,
    *,
    kind: str = "pearson",
    seed: int = 0,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    permuted: int = PERMUTATIONS,
) -> list[list[Correlation]]:
    """The correlation of every two columns of observations × variables; the same both ways."""
    columns = np.asarray(data, dtype=np.float64).T
    found: dict[tuple[int, int], Correlation] = {}
    for i in range(len(columns)):
        for j in range(i, len(columns)):
            pair = columns[i], columns[j]
            found[i, j] = found[j, i] = correlation(
                *pair, kind=kind, seed=seed, level=level, resamples=resamples, permuted=permuted
            )
    return [[found[i, j] for j in range(len(columns))] for i in range(len(columns))]
