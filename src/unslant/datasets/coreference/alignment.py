"""CEAF (Luo 2005): clusters of the key matched with clusters of the response, one to one.

The match maximises Σ φ(k, r). CEAFm takes φ = |k ∩ r| and divides by the mentions; CEAFφ4, also
called CEAFe, takes φ = 2 |k ∩ r| / (|k| + |r|) and divides by the clusters, a singleton being
worth as much as the largest. Clusters that share nothing need no match, so the problem falls into
the connected parts of the overlap, most of them tiny. Several matches may be best; their value is
the same.
"""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from unslant.datasets.coreference.counts import Counts
from unslant.datasets.coreference.overlap import Overlap

Pair = tuple[int, int]


def ceaf_m(overlap: Overlap) -> Counts:
    """The mentions in matched clusters."""
    best = Fraction(sum(_matched({pair: Fraction(n) for pair, n in overlap.shared.items()})))
    return Counts(best, Fraction(sum(overlap.key)), best, Fraction(sum(overlap.response)))


def ceaf_e(overlap: Overlap) -> Counts:
    """The similarity φ4 of matched clusters."""
    similar = {
        (mine, theirs): Fraction(2 * size, overlap.key[mine] + overlap.response[theirs])
        for (mine, theirs), size in overlap.shared.items()
    }
    best = sum(_matched(similar), Fraction(0))
    return Counts(best, Fraction(len(overlap.key)), best, Fraction(len(overlap.response)))


def _matched(values: dict[Pair, Fraction]) -> Iterator[Fraction]:
    from scipy.optimize import linear_sum_assignment

    for part in _connected(values):
        if len(part) == 1:
            yield values[part[0]]
            continue
        rows = {mine: place for place, mine in enumerate(sorted({pair[0] for pair in part}))}
        columns = {one: place for place, one in enumerate(sorted({pair[1] for pair in part}))}
        matrix = np.zeros((len(rows), len(columns)))
        by_place = {}
        for mine, theirs in part:
            place = rows[mine], columns[theirs]
            matrix[place] = values[mine, theirs]
            by_place[place] = values[mine, theirs]
        for match in zip(*linear_sum_assignment(matrix, maximize=True), strict=True):
            yield by_place.get((int(match[0]), int(match[1])), Fraction(0))


def _connected(pairs: dict[Pair, Fraction]) -> list[list[Pair]]:
    """The pairs in groups, where pairs with a cluster in common are in one group."""
    parent: dict[tuple[str, int], tuple[str, int]] = {}

    def root(node: tuple[str, int]) -> tuple[str, int]:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for mine, theirs in pairs:
        parent[root(("key", mine))] = root(("response", theirs))
    groups: defaultdict[tuple[str, int], list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[root(("key", pair[0]))].append(pair)
    return list(groups.values())
