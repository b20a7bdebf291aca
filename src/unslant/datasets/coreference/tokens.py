"""Words of a text with their places, and spans of characters as spans of words."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from unslant.datasets.coreference.document import Clusters, Span, deduplicated

_CLITIC = r"['’](?:s|re|ve|ll|d|m)\b"
_WORD = re.compile(
    rf"n['’]t\b|\w+?(?=n['’]t\b)|{_CLITIC}|\w+(?:(?:-|(?!{_CLITIC})['’])\w+)*|[^\w\s]",
    re.IGNORECASE,
)
"""As the corpora of CoNLL cut them: ``did n't``, ``the nurse 's``, and a sign for itself."""


class Words(NamedTuple):
    """The words of a text, and where each begins and ends among its characters."""

    words: tuple[str, ...]
    places: tuple[Span, ...]

    def span(self, first: int, end: int) -> Span:
        """The words that lie within these characters; there must be at least one."""
        inside = [n for n, (begin, stop) in enumerate(self.places) if first <= begin < stop <= end]
        if not inside:
            raise ValueError(f"no whole word lies in characters {first} to {end}")
        return inside[0], inside[-1] + 1


def cut(text: str, at: Iterable[int] = ()) -> Words:
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
    return Words(tuple(text[first:end] for first, end in places), tuple(places))


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
