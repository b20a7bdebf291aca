"""A document whose mentions are in clusters: the spans of words that mean the same thing."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

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


# Words of a text with their places, and spans of characters as spans of words.

_CLITIC = r"['’](?:s|re|ve|ll|d|m)\b"
_WORD = re.compile(
    rf"n['’]t\b|\w+?(?=n['’]t\b)|{_CLITIC}|\w+(?:(?:-|(?!{_CLITIC})['’])\w+)*|[^\w\s]",
    re.IGNORECASE,
)
"""As the corpora of CoNLL cut them: ``did n't``, ``the nurse 's``, and a sign for itself."""


class TextWords(NamedTuple):
    """The words of a text, and where each begins and ends among its characters."""

    words: tuple[str, ...]
    places: tuple[Span, ...]

    def span(self, first: int, end: int) -> Span:
        """The words that lie within these characters; there must be at least one."""
        inside = [n for n, (begin, stop) in enumerate(self.places) if first <= begin < stop <= end]
        if not inside:
            raise ValueError(f"no whole word lies in characters {first} to {end}")
        return inside[0], inside[-1] + 1


def cut(text: str, at: Iterable[int] = ()) -> TextWords:
    """Cut a text into words, and between the characters ``at`` in any case.

    >>> cut("She didn't stop.").words
    ('She', 'did', "n't", 'stop', '.')
    """
    ends = sorted({0, len(text), *at})
    places = [
        (begin + found.start(), begin + found.end())
        for begin, end in pairwise(ends)
        for found in _WORD.finditer(text[begin:end])
    ]
    return TextWords(tuple(text[first:end] for first, end in places), tuple(places))


def bracketed(text: str) -> tuple[tuple[str, ...], Sequence[Span]]:
    """The words of a text with [mentions] in brackets, and the span of each mention.

    >>> bracketed("[The nurse] said [she] left.")
    (('The', 'nurse', 'said', 'she', 'left', '.'), [(0, 2), (3, 4)])
    """
    plain, ends = "", list[int]()
    for number, part in enumerate(re.split(r"[\[\]]", text)):
        if number:
            ends.append(len(plain))
        plain += part
    if len(ends) % 2 or re.sub(r"[^\[\]]", "", text) != "[]" * (len(ends) // 2):
        raise ValueError("its brackets do not match")
    found = cut(plain, ends)
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return found.words, [found.span(first, end) for first, end in pairs]


def word_clusters(words: Sequence[str], clusters: Iterable[Iterable[Sequence[int]]]) -> Clusters:
    """Clusters of characters, in the words joined by spaces, as clusters of words.

    For systems that read text. A mention that begins or ends within a word takes all of it; two
    mentions that become the same words are one, in the first of their clusters.

    >>> word_clusters(("Ann", "lost", "her", "keys"), [[(0, 3), (9, 12)]])
    (((0, 1), (2, 3)),)
    """
    ends = list(accumulate((len(word) + 1 for word in words), initial=0))
    return deduplicated(
        [(bisect_right(ends, first) - 1, bisect_left(ends, end)) for first, end in cluster]
        for cluster in clusters
    )
