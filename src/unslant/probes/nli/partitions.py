"""Is the distance between groups of words more than any division of the words would give?"""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from unslant.core.measurement import PValue
from unslant.core.seeds import generator
from unslant.numerics.crossed_bootstrap import Array
from unslant.numerics.permutation import EXACT_UP_TO, subset_sums

PARTITIONS = 10_000
_TOLERANCE = 1e-9
"""Partitions that equal the data but for rounding count as at least as extreme."""

Said = dict[str, float | int | str | None]


def partition_test(
    words: Array, groups: Sequence[Sequence[int]], seed: int, purpose: str
) -> tuple[PValue | None, Said, tuple[str, ...]]:
    """The share of equal-size partitions of the words whose groups are as far apart.

    ``words`` are one mean answer a row. Two groups with at most 200,000 divisions are all looked
    at; else 10,000 random ones are, and p = (b + 1) / (m + 1). Also what the record should say of
    it, and warnings. There is no p-value where every division gives the same distance.
    """
    sizes = [len(group) for group in groups]
    places = [place for group in groups for place in group]
    if len(set(places)) < len(places):
        return None, {}, ("No p-value: a word is in two groups, so they are no partition.",)
    if max(sizes) == 1 and len(sizes) == 2:
        why = "No p-value: with one word in each group every partition gives the same distance."
        return None, {}, (why,)
    pooled = words[places]
    at_least = float(largest_distance(_means(pooled[None], sizes))[0]) * (1 - _TOLERANCE)
    if len(sizes) == 2 and (splits := comb(len(places), sizes[0])) <= EXACT_UP_TO:
        found = _of_every_split(pooled, sizes[0])
        value = int((found >= at_least).sum()) / splits
        p = PValue(value=value, how="exact", alternative="greater", outcomes=splits)
        smallest = (2 if sizes[0] == sizes[1] else 1) / splits
        said: Said = {"smallest-possible-p": smallest}
        if smallest > 0.05:
            why = f"{len(places)} words in two groups cannot give a p-value below {smallest:.2g}."
            return p, said, (why,)
        return p, said, ()
    rng = generator(seed, "partitions", purpose)
    order = rng.random((PARTITIONS, len(places))).argsort(axis=1)
    extreme = int((largest_distance(_means(pooled[order], sizes)) >= at_least).sum())
    value = (extreme + 1) / (PARTITIONS + 1)
    p = PValue(value=value, how="monte carlo", alternative="greater", outcomes=PARTITIONS + 1)
    return p, {}, ()


def largest_distance(means: Array) -> Array:
    """The largest distance between two of the groups: ``means`` are rows × groups × numbers."""
    couples = combinations(range(means.shape[1]), 2)
    apart = [np.linalg.norm(means[:, a] - means[:, b], axis=1) for a, b in couples]
    return np.asarray(np.max(apart, axis=0))


def _means(words: Array, sizes: Sequence[int]) -> Array:
    """The mean of each group, where consecutive words form the groups."""
    ends: NDArray[np.int64] = np.cumsum(sizes)
    return np.stack(
        [
            words[:, end - size : end].mean(axis=1)
            for size, end in zip(sizes, ends.tolist(), strict=True)
        ],
        axis=1,
    )


def _of_every_split(words: Array, size: int) -> Array:
    """The distance of every division into ``size`` words and the rest."""
    # The subsets come in the same order for every column, so their sums are rows.
    sums = np.stack([subset_sums(column, size) for column in words.T], axis=1)
    others = (words.sum(axis=0) - sums) / (len(words) - size)
    return np.asarray(np.linalg.norm(sums / size - others, axis=1))
