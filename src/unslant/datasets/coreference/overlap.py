"""How two clusterings of mentions overlap: all that the scores need to know."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unslant.datasets.coreference.document import Clusters, Span, deduplicated, without_singletons

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
