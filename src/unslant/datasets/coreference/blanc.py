"""BLANC (Recasens and Hovy 2011; Luo et al. 2014 for predicted mentions).

Pairs of mentions are coreference links, if both are in one cluster, or non-coreference links. Over
the links C of the first kind, recall is |C_key ∩ C_response| / |C_key|, precision divides by
|C_response|; the same for the second kind N. The score is the mean of both kinds. If the key has
no link of a kind, the other counts alone; if it has no links at all (each document one mention at
most), the score is 1 for exactly the key's mentions and 0 otherwise.
"""

from collections import Counter
from dataclasses import dataclass, fields
from fractions import Fraction

from unslant.datasets.coreference.counts import CorefScore, Counts
from unslant.datasets.coreference.link_scores import links
from unslant.datasets.coreference.overlap import Overlap


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
    return Counts(found, Fraction(key), found, Fraction(response)).score
