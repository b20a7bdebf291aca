"""Marked attribute bias (Dawkins 2021): "A person …" should say nothing about gender.

The error E is the mean length of (1, 0, 0) − (n, e, c), from 0 to √2. The distance d is how far
the mean answer for one group of hypothesis words is from that for the other: a model may be wrong
for both alike, or right for one only. Being a length, d cannot be negative, and the draws of its
bootstrap lie above it on average; where d is near 0 its interval may leave it out on the lower
side. The p-value is the better witness there.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UndefinedMeasureError, quoted
from unslant.core.measurement import PValue
from unslant.core.seeds import generator
from unslant.core.types import Array, Mask
from unslant.numerics.bootstrap import weighted_means
from unslant.numerics.permutation import EXACT_UP_TO, subset_sums
from unslant.probes.nli.answers import (
    ALL,
    DISTANCE_FROM_NEUTRAL,
    AnswerMeasure,
    Cells,
    ValueRemarks,
    undefined,
    within,
)
from unslant.probes.nli.neutrality import average
from unslant.probes.nli.pairset import PairSet

_SYMBOLS = ("n", "e", "c")
_TITLES = {
    "marked-error": "Mean distance from certain neutral",
    "marked-distance": "Distance between the mean answers for the groups",
}

PARTITIONS = 10_000
_TOLERANCE = 1e-9
"""Partitions that equal the data but for rounding count as at least as extreme."""

Said = dict[str, float | int | str | None]


def marked_error(pairs: PairSet, kind: str = "") -> AnswerMeasure:
    """E: the mean distance of an answer from certain neutral, over all words or one kind."""
    return average(
        pairs,
        DISTANCE_FROM_NEUTRAL,
        name=_named("marked-error", kind),
        title=_titled(_TITLES["marked-error"], kind),
        counted=_of_kind(pairs, kind),
    )


def marked_distance(pairs: PairSet, kind: str = "") -> AnswerMeasure:
    """d: how far apart the mean answers for the groups are, over all words or one kind.

    With more than two groups, the largest distance between two of them.
    """
    counted = _of_kind(pairs, kind)
    groups = _groups(pairs, counted)
    if len(groups) < 2:
        raise UndefinedMeasureError(
            f'The distance between groups needs two groups of hypothesis words; "{pairs.name}" '
            f"has {len(groups)}{f' among its {kind}' if kind else ''}. Name them in the set."
        )
    masks = {name: within(counted, places) for name, places in groups.items()}
    couples = list(combinations(groups, 2))

    def distances(cells: Cells, premises: Array, hypotheses: Array) -> Array:
        means = {
            name: weighted_means(cells, premises, hypotheses, mask) for name, mask in masks.items()
        }
        return np.stack([np.linalg.norm(means[a] - means[b], axis=1) for a, b in couples])

    def largest(cells: Cells, premises: Array, hypotheses: Array) -> Array:
        return np.asarray(distances(cells, premises, hypotheses).max(axis=0))

    def remarks(cells: Cells, seed: int) -> ValueRemarks:
        ones = np.ones((1, counted.shape[0])), np.ones((1, counted.shape[1]))
        details: dict[str, float | int | str | None] = {}
        for name, mask in masks.items():
            mean = weighted_means(cells, *ones, mask)[0]
            details |= {f"{s}-of-{name}": float(x) for s, x in zip(_SYMBOLS, mean, strict=True)}
        if len(couples) > 1:
            a, b = couples[int(distances(cells, *ones)[:, 0].argmax())]
            details["groups"] = f"{len(groups)}; the largest distance, between {a} and {b}"
        each = _word_means(cells, counted)
        purpose = f"{pairs.content_hash} {kind}"
        p, said, warnings = partition_test(each, list(groups.values()), seed, purpose)
        points: list[dict[str, float | str]] = [
            {
                "word": pairs.hypothesis_words[place],
                "group": name,
                **{s: float(x) for s, x in zip(_SYMBOLS, each[place], strict=True)},
            }
            for name, places in groups.items()
            for place in places
        ]
        return ValueRemarks(details=details | said, points=tuple(points), p=p, warnings=warnings)

    return AnswerMeasure(
        name=_named("marked-distance", kind),
        title=_titled(_TITLES["marked-distance"], kind),
        channels=ALL,
        counted=np.asarray(np.any(list(masks.values()), axis=0)),
        statistic=largest,
        remarks=remarks,
    )


def marked(pairs: PairSet) -> tuple[AnswerMeasure, ...]:
    """E and d: together, where the groups have as many words of each kind, and of every kind."""
    gone = pairs.missing.get("hypotheses", ())
    found = []
    for kind in ["", *pairs.kinds]:
        if not kind and not _is_balanced(pairs):
            # A set that was so from the start has no such measure; one that lost words lost it.
            if gone:
                why = f"the groups have unequal numbers of some kind without {quoted(gone)}"
                found += [_undefined(pairs, name, kind, why) for name in _TITLES]
            continue
        found.append(marked_error(pairs, kind))
        if len(_groups(pairs, _of_kind(pairs, kind))) >= 2:
            found.append(marked_distance(pairs, kind))
        elif gone:
            why = f"it compares groups, and one has no words left without {quoted(gone)}"
            found.append(_undefined(pairs, "marked-distance", kind, why))
    return tuple(found)


def _undefined(pairs: PairSet, name: str, kind: str, why: str) -> AnswerMeasure:
    title = _titled(_TITLES[name], kind)
    return undefined(pairs, name=_named(name, kind), title=title, why=why)


def _is_balanced(pairs: PairSet) -> bool:
    """Whether a difference between the groups cannot be a difference between the kinds."""
    shares = [
        {len(set(places) & set(group)) for group in pairs.hypothesis_groups.values()}
        for places in pairs.kinds.values()
    ]
    return all(len(sizes) <= 1 for sizes in shares)


def _groups(pairs: PairSet, counted: Mask) -> dict[str, tuple[int, ...]]:
    used = set(np.flatnonzero(counted.any(axis=0)).tolist())
    found = {
        name: tuple(place for place in places if place in used)
        for name, places in pairs.hypothesis_groups.items()
    }
    return {name: places for name, places in found.items() if places}


def _of_kind(pairs: PairSet, kind: str) -> Mask:
    return within(pairs.counts, pairs.kinds[kind]) if kind else pairs.counts


def _word_means(cells: Cells, counted: Mask) -> Array:
    """The mean (n, e, c) of each hypothesis word; a word without pairs gets 0."""
    sizes = np.maximum(counted.sum(axis=0), 1)
    return np.stack([np.where(counted, table[0], 0.0).sum(axis=0) / sizes for table in cells], 1)


def _named(name: str, kind: str) -> str:
    return f"{name}-{kind}" if kind else name


def _titled(title: str, kind: str) -> str:
    return f"{title}, {kind}" if kind else title


def partition_test(
    words: Array, groups: Sequence[Sequence[int]], seed: int, purpose: str
) -> tuple[PValue | None, Said, tuple[str, ...]]:
    """The share of equal-size partitions of the words whose groups are as far apart.

    ``words`` are one mean answer a row. Two groups with at most 200,000 divisions are all looked
    at; else 10,000 random ones are, and p = (b + 1) / (m + 1). Also details for the record about
    it, and warnings. There is no p-value if every division has the same distance.
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
