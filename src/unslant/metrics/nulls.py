"""What random words would give: the null distribution for a choice of words."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from unslant.core.seeds import generator
from unslant.vectors import WordVectors

Array = NDArray[np.float64]

FREQUENT = 10_000
"""Random words come from this many of the most frequent words, like curated word lists."""


def share_of_random_lists_below(
    effects: Callable[[Array], Array],
    value: float,
    vectors: WordVectors,
    sizes: tuple[int, int],
    *,
    but: Sequence[str],
    count: int,
    seed: int,
    purpose: str,
) -> float | None:
    """The share of random pairs of attribute lists whose effect is smaller in size.

    ``effects`` takes the differences of the two lists' mean directions, a row each, and returns
    the effect of each. Lists for which it is undefined are not counted. The words ``but`` are not
    drawn: a list that contains a target word is not random. None if too few words are left or no
    list has an effect.
    """
    rng = generator(seed, "random lists", purpose)
    pool = np.setdiff1d(np.arange(min(FREQUENT, len(vectors))), vectors.words.rows_of(but))
    rows = vectors.rows_at(pool).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    directions = rows[lengths > 0] / lengths[lengths > 0][:, None]
    wanted = sum(sizes)
    if len(directions) < wanted:
        return None
    contrasts = np.empty((count, vectors.dim))
    for number in range(count):
        drawn = directions[rng.choice(len(directions), wanted, replace=False, shuffle=False)]
        contrasts[number] = drawn[: sizes[0]].mean(axis=0) - drawn[sizes[0] :].mean(axis=0)
    found = np.abs(effects(contrasts))
    found = found[np.isfinite(found)]
    return float((found < value).mean()) if len(found) else None
