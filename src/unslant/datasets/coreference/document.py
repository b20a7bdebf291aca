"""A document whose mentions are in clusters: the spans of words that mean the same thing."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from unslant.core.errors import UnslantError

Span = tuple[int, int]
"""The first word of a mention and the one after its last."""

Clusters = tuple[tuple[Span, ...], ...]


@dataclass(frozen=True)
class CorefDocument:
    """The sentences of a document and its clusters, whose spans count words of the document.

    A cluster of one span is a singleton. A span is in one cluster at most.

    >>> document = CorefDocument("d", (("She", "left"), ("her", "dog")), (((0, 1), (2, 3)),))
    >>> document.words[2], document.text((2, 4))
    ('her', 'her dog')
    """

    name: str
    sentences: tuple[tuple[str, ...], ...]
    clusters: Clusters = ()

    def __post_init__(self) -> None:
        size = sum(len(sentence) for sentence in self.sentences)
        seen: set[Span] = set()
        for cluster in self.clusters:
            if not cluster:
                raise UnslantError(f"A cluster of document {self.name} is empty.")
            for first, end in cluster:
                if not 0 <= first < end <= size:
                    raise UnslantError(
                        f"Document {self.name} has {size:,} words, but a mention from word "
                        f"{first:,} up to word {end:,}."
                    )
                if (first, end) in seen:
                    raise UnslantError(
                        f"Words {first:,} to {end - 1:,} of document {self.name} are a mention "
                        f"twice. A mention belongs to one cluster."
                    )
                seen.add((first, end))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of all sentences."""
        return tuple(chain.from_iterable(self.sentences))

    @property
    def mentions(self) -> tuple[Span, ...]:
        """The spans of all clusters, in the order of the text."""
        return tuple(sorted(chain.from_iterable(self.clusters)))

    def text(self, span: Span) -> str:
        """The words of a span, separated by spaces."""
        return " ".join(self.words[span[0] : span[1]])


def deduplicated(clusters: Iterable[Iterable[Span]]) -> Clusters:
    """The clusters with every span once: in the first cluster that has it.

    A cluster that loses all its spans is left out. The order is that given.
    """
    seen: set[Span] = set()
    kept = []
    for cluster in clusters:
        own: list[Span] = []
        for first, end in cluster:
            if (first, end) not in seen:
                seen.add((first, end))
                own.append((first, end))
        if own:
            kept.append(tuple(own))
    return tuple(kept)


def in_text_order(clusters: Iterable[Iterable[Span]]) -> Clusters:
    """The spans of each cluster in the order of the text, and the clusters by their first span."""
    return tuple(sorted(tuple(sorted(cluster)) for cluster in clusters))


def without_singletons(clusters: Iterable[Iterable[Span]]) -> Clusters:
    """The clusters that have at least two spans."""
    found = (tuple(cluster) for cluster in clusters)
    return tuple(cluster for cluster in found if len(cluster) > 1)
