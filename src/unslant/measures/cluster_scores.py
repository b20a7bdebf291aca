"""Scores of coreference: how well predicted clusters of mentions agree with true ones."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np

from unslant.datasets.coreference.document import Clusters, Span, deduplicated, without_singletons

# How two clusterings of mentions overlap: all that the scores need to know.

ClustersLike = Iterable[Sequence[Span]]


@dataclass(frozen=True)
class Overlap:
    """The sizes of the key's and the response's clusters, and of what two of them share.

    ``shared[i, j]`` is the number of mentions in both cluster i of the key and cluster j of the
    response; pairs that share none are absent, so this grows with the mentions and not with the
    product of the clusters.
    """

    key: tuple[int, ...]
    response: tuple[int, ...]
    shared: dict[tuple[int, int], int]

    @classmethod
    def of(cls, key: ClustersLike, response: ClustersLike, *, singletons: bool = True) -> "Overlap":
        """Compare two clusterings, each of whose spans counts once, in its first cluster."""
        mine, theirs = (_prepared(clusters, singletons) for clusters in (key, response))
        place = {span: number for number, cluster in enumerate(theirs) for span in cluster}
        shared = Counter(
            (number, place[span])
            for number, cluster in enumerate(mine)
            for span in cluster
            if span in place
        )
        return cls(tuple(map(len, mine)), tuple(map(len, theirs)), dict(shared))

    @property
    def mentions(self) -> int:
        """The number of mentions in both."""
        return sum(self.shared.values())

    def reversed(self) -> "Overlap":
        """The same with key and response exchanged, which exchanges recall and precision."""
        shared = {(theirs, mine): size for (mine, theirs), size in self.shared.items()}
        return Overlap(self.response, self.key, shared)


def _prepared(clusters: ClustersLike, singletons: bool) -> Clusters:
    found = deduplicated(clusters)
    return found if singletons else without_singletons(found)


# Recall, precision and F1 from exact counts.


@dataclass(frozen=True)
class ClusterCounts:
    """Recall and precision counts as exact fractions that can be added.

    A share of nothing is 0, as in the reference scorer: a response without links has MUC 0.
    """

    found_of_key: Fraction = Fraction(0)
    key: Fraction = Fraction(0)
    found_of_response: Fraction = Fraction(0)
    response: Fraction = Fraction(0)

    def __add__(self, other: "ClusterCounts") -> "ClusterCounts":
        return ClusterCounts(
            self.found_of_key + other.found_of_key,
            self.key + other.key,
            self.found_of_response + other.found_of_response,
            self.response + other.response,
        )

    @property
    def score(self) -> "CorefScore":
        """Recall, precision and F1."""
        recall = _share(self.found_of_key, self.key)
        precision = _share(self.found_of_response, self.response)
        return CorefScore(recall, precision, _share(2 * recall * precision, recall + precision))


@dataclass(frozen=True)
class CorefScore:
    """Recall, precision and F1 as exact fractions; ``float`` converts them."""

    recall: Fraction
    precision: Fraction
    f1: Fraction

    def to_dict(self) -> dict[str, float]:
        """The three as numbers."""
        return {
            "recall": float(self.recall),
            "precision": float(self.precision),
            "f1": float(self.f1),
        }


def _share(part: Fraction, whole: Fraction) -> Fraction:
    return part / whole if whole else Fraction(0)


# CEAF (Luo 2005): clusters of the key matched with clusters of the response, one to one.
#
# The match maximises Σ φ(k, r). CEAFm takes φ = |k ∩ r| and divides by the mentions; CEAFφ4, also
# called CEAFe, takes φ = 2 |k ∩ r| / (|k| + |r|) and divides by the clusters, a singleton being
# worth as much as the largest. Clusters that share nothing need no match, so the problem falls
# into the connected parts of the overlap, most of them tiny. Several matches may be best; their
# value is the same.

Pair = tuple[int, int]


def ceaf_m(overlap: Overlap) -> ClusterCounts:
    """The mentions in matched clusters."""
    best = Fraction(sum(_matched({pair: Fraction(n) for pair, n in overlap.shared.items()})))
    return ClusterCounts(best, Fraction(sum(overlap.key)), best, Fraction(sum(overlap.response)))


def ceaf_e(overlap: Overlap) -> ClusterCounts:
    """The similarity φ4 of matched clusters."""
    similar = {
        (mine, theirs): Fraction(2 * size, overlap.key[mine] + overlap.response[theirs])
        for (mine, theirs), size in overlap.shared.items()
    }
    best = sum(_matched(similar), Fraction(0))
    return ClusterCounts(best, Fraction(len(overlap.key)), best, Fraction(len(overlap.response)))


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


# Scores of links and of mentions: MUC, B³ and LEA.
#
# With the key's clusters k, the response's r and links(n) = n (n − 1) / 2, recall is
#
# * MUC (Vilain et al. 1995): Σ_k (|k| − parts(k)) / Σ_k (|k| − 1), where parts(k) counts the pieces
#   into which the response cuts k, a mention that the response does not have being one;
# * B³ (Bagga and Baldwin 1998): Σ_k Σ_r |k ∩ r|² / |k|, divided by Σ_k |k|;
# * LEA (Moosavi and Strube 2016): Σ_k |k| Σ_r links(|k ∩ r|) / links(|k|), divided by Σ_k |k|; a
#   singleton has one link, to itself, which a singleton of the other side shares.
#
# Precision exchanges key and response.

Side = Callable[[Overlap], tuple[Fraction, Fraction]]
"""What was found of the key, and what there is."""


def muc(overlap: Overlap) -> ClusterCounts:
    """Links that join the clusters' mentions; singletons have none."""
    return _both(_muc, overlap)


def b_cubed(overlap: Overlap) -> ClusterCounts:
    """For every mention, the share of its cluster that is also in its other cluster."""
    return _both(_b_cubed, overlap)


def lea(overlap: Overlap) -> ClusterCounts:
    """For every cluster, weighted by its size, the share of its links that were found."""
    return _both(_lea, overlap)


def links(mentions: int) -> int:
    """The number of pairs of mentions."""
    return mentions * (mentions - 1) // 2


def _both(side: Side, overlap: Overlap) -> ClusterCounts:
    return ClusterCounts(*side(overlap), *side(overlap.reversed()))


def _muc(overlap: Overlap) -> tuple[Fraction, Fraction]:
    # |k| − parts(k) is the shared mentions of k less the response's clusters that share them.
    found = overlap.mentions - len(overlap.shared)
    return Fraction(found), Fraction(sum(overlap.key) - len(overlap.key))


def _b_cubed(overlap: Overlap) -> tuple[Fraction, Fraction]:
    squares = [0] * len(overlap.key)
    for (mine, _), size in overlap.shared.items():
        squares[mine] += size * size
    found = _total(zip(squares, overlap.key, strict=True))
    return found, Fraction(sum(overlap.key))


def _lea(overlap: Overlap) -> tuple[Fraction, Fraction]:
    common = [0] * len(overlap.key)
    for (mine, theirs), size in overlap.shared.items():
        if overlap.key[mine] == 1:
            common[mine] = int(overlap.response[theirs] == 1)
        else:
            common[mine] += links(size)
    pairs = (
        (found * size, links(size) or 1) for found, size in zip(common, overlap.key, strict=True)
    )
    return _total(pairs), Fraction(sum(overlap.key))


def _total(pairs: Iterable[tuple[int, int]]) -> Fraction:
    """The sum of fractions; those of one denominator are added first, which is much faster."""
    sums: dict[int, int] = {}
    for numerator, denominator in pairs:
        sums[denominator] = sums.get(denominator, 0) + numerator
    return sum((Fraction(*reversed(one)) for one in sums.items()), Fraction(0))


# BLANC (Recasens and Hovy 2011; Luo et al. 2014 for predicted mentions).
#
# Pairs of mentions are coreference links, if both are in one cluster, or non-coreference links.
# Over the links C of the first kind, recall is |C_key ∩ C_response| / |C_key|, precision divides
# by |C_response|; the same for the second kind N. The score is the mean of both kinds. If the key
# has no link of a kind, the other counts alone; if it has no links at all (each document one
# mention at most), the score is 1 for exactly the key's mentions and 0 otherwise.


@dataclass(frozen=True)
class Blanc:
    """Links of both kinds, and mentions, in the key, in the response, and in both."""

    key_links: int = 0
    response_links: int = 0
    shared_links: int = 0
    key_apart: int = 0
    response_apart: int = 0
    shared_apart: int = 0
    key_mentions: int = 0
    response_mentions: int = 0
    shared_mentions: int = 0

    @classmethod
    def of(cls, overlap: Overlap) -> "Blanc":
        """Count the links of one document."""
        key, response, shared = sum(overlap.key), sum(overlap.response), overlap.mentions
        mine: Counter[int] = Counter()
        theirs: Counter[int] = Counter()
        for (first, second), size in overlap.shared.items():
            mine[first] += size
            theirs[second] += size
        key_links = sum(map(links, overlap.key))
        response_links = sum(map(links, overlap.response))
        both = sum(map(links, overlap.shared.values()))
        # Links among the shared mentions, less those that either side calls coreferent.
        either = sum(map(links, mine.values())) + sum(map(links, theirs.values())) - both
        return cls(
            key_links,
            response_links,
            both,
            links(key) - key_links,
            links(response) - response_links,
            links(shared) - either,
            key,
            response,
            shared,
        )

    def __add__(self, other: "Blanc") -> "Blanc":
        return Blanc(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def score(self) -> CorefScore:
        """The mean over the kinds of links that the key has."""
        kinds = []
        if self.key_links:
            kinds.append(_score(self.shared_links, self.key_links, self.response_links))
        if self.key_apart:
            kinds.append(_score(self.shared_apart, self.key_apart, self.response_apart))
        if not kinds:
            same = self.key_mentions == self.response_mentions == self.shared_mentions
            same = same and not self.response_links
            value = Fraction(int(same and self.key_mentions > 0))
            return CorefScore(value, value, value)
        return CorefScore(
            sum((one.recall for one in kinds), Fraction(0)) / len(kinds),
            sum((one.precision for one in kinds), Fraction(0)) / len(kinds),
            sum((one.f1 for one in kinds), Fraction(0)) / len(kinds),
        )


def _score(shared: int, key: int, response: int) -> CorefScore:
    found = Fraction(shared)
    return ClusterCounts(found, Fraction(key), found, Fraction(response)).score
