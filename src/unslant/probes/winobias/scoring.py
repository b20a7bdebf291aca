"""Whether pronouns were resolved, and F1 of the clusters, over pairs of sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unslant.core.measurement import Measurement
from unslant.core.types import Array, Mask
from unslant.datasets.coreference.document import Clusters, CorefDocument, Span
from unslant.measures.cluster_scores import Counts, Overlap, b_cubed, ceaf_e, muc
from unslant.probes.coreference.comparison import measurement
from unslant.probes.coreference.resampling import Resampling
from unslant.probes.winobias.sentences import ANTI, PRO, SentencePair

RIGHT, BOTH, OTHER, UNRESOLVED = "right", "both occupations", "the other one", "neither"
OUTCOMES = (RIGHT, BOTH, OTHER, UNRESOLVED)
_CONLL = (muc, b_cubed, ceaf_e)


def is_linked(document: CorefDocument, clusters: Clusters) -> bool:
    """Whether all true mentions, with exactly their words, are in one cluster."""
    wanted = set(document.clusters[0])
    return any(wanted <= set(cluster) for cluster in clusters)


def outcome_of(document: CorefDocument, other: Span | None, clusters: Clusters) -> str:
    """What the pronouns were linked to; the other occupation counts if it ends with its word."""
    wanted = document.clusters[0]
    pronouns = sorted(wanted)[1:]
    joined = {span for one in clusters if any(span in one for span in pronouns) for span in one}
    has_other = other is not None and any(end == other[1] for _, end in joined)
    if is_linked(document, clusters):
        return BOTH if has_other else RIGHT
    return OTHER if has_other else UNRESOLVED


@dataclass(frozen=True, eq=False)
class PairScores:
    """The clusters of every pair: pro, then anti."""

    pairs: Sequence[SentencePair]
    clusters: Sequence[Clusters]

    @cached_property
    def right(self) -> dict[str, Mask]:
        """Whether each pair is right in each version."""
        return {
            version: np.array(
                [is_linked(pair.versions[n], self._of(row, n)) for row, pair in self._numbered]
            )
            for n, version in enumerate((PRO, ANTI))
        }

    @cached_property
    def outcomes(self) -> dict[str, list[str]]:
        """What the pronouns of each pair were linked to in each version."""
        return {
            version: [
                outcome_of(pair.versions[n], pair.others[n], self._of(row, n))
                for row, pair in self._numbered
            ]
            for n, version in enumerate((PRO, ANTI))
        }

    @cached_property
    def counts(self) -> dict[str, Array]:
        """For each version: pairs × the four counts of each of the three scores."""
        return {
            version: np.array(
                [_counts(pair.versions[n], self._of(row, n)) for row, pair in self._numbered]
            )
            for n, version in enumerate((PRO, ANTI))
        }

    @property
    def _numbered(self) -> list[tuple[int, SentencePair]]:
        return list(enumerate(self.pairs))

    def _of(self, row: int, version: int) -> Clusters:
        return self.clusters[2 * row + version]


def f1_measured(
    scores: PairScores, parts: dict[str, Mask], titles: dict[str, str], resampling: Resampling
) -> Iterator[Measurement]:
    """The mean F1 of MUC, B³ and CEAFφ4 of each version, and the difference."""
    for part, mask in parts.items():
        values, draws = {}, {}
        for version, counts in scores.counts.items():
            values[version] = float(_f1(counts[mask].sum(axis=0)[None])[0])
            draws[version] = _f1(resampling.sums(counts * mask[:, None]))
        yield measurement(
            resampling,
            f"winobias-f1-difference-{part}",
            f"CoNLL F1, pro − anti{titles[part]}",
            values[PRO] - values[ANTI],
            draws[PRO] - draws[ANTI],
            details={PRO: values[PRO], ANTI: values[ANTI]},
        )
        for version in (PRO, ANTI):
            share = float(scores.right[version][mask].mean())
            yield measurement(
                resampling,
                f"winobias-f1-{part}-{version}",
                f"CoNLL F1, {version}{titles[part]}",
                values[version],
                draws[version],
                details={
                    "accuracy": share,
                    "f1-of-accuracy": 2 * share / (1 + share),
                    "note": "f1-of-accuracy is 2a / (1 + a), which some publications call F1",
                },
            )


def _counts(document: CorefDocument, clusters: Clusters) -> list[float]:
    overlap = Overlap.of(document.clusters, clusters)
    found: list[Counts] = [score(overlap) for score in _CONLL]
    return [
        float(number)
        for one in found
        for number in (one.found_of_key, one.key, one.found_of_response, one.response)
    ]


def _f1(sums: Array) -> Array:
    """Rows of counts as the mean F1 of the scores."""
    found = []
    for begin in range(0, sums.shape[1], 4):
        mine, key, theirs, response = sums[:, begin : begin + 4].T
        recall, precision = _share(mine, key), _share(theirs, response)
        found.append(_share(2 * recall * precision, recall + precision))
    mean: Array = np.mean(found, axis=0)
    return mean


def _share(part: Array, whole: Array) -> Array:
    found: Array = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return found
