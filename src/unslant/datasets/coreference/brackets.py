"""The brackets of the last column of CoNLL-2012: where mentions begin and end.

``(3`` begins a mention of cluster 3, ``3)`` ends one and ``(3)`` is a mention of one word; several
in a cell may have a bar between them. An end closes the mention of its cluster that began last, so
mentions of one cluster nest and never cross; those of two clusters may do either. A span that a
cell puts into two clusters, or twice into one, is a mention once: in the cluster named first
(the reference scorer's de-duplication, Pradhan et al. 2014).
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from unslant.core.errors import UnslantError
from unslant.datasets.coreference.document import Clusters, CorefDocument, Span, in_text_order

NONE = frozenset({"", "-", "_"})
"""What a cell contains if no mention begins or ends there."""

# An end is looked for only where a name begins: within a long name without a bracket, each letter
# would be tried as its beginning, which takes quadratic time.
_PART = re.compile(
    r"\((?P<one>[^()|\s]+)\)|\((?P<begin>[^()|\s]+)|(?<![^()|\s])(?P<end>[^()|\s]+)\)"
)


class BadBracketError(ValueError):
    """What is wrong with a cell, and the place among the words that it concerns."""

    def __init__(self, message: str, word: int) -> None:
        super().__init__(message)
        self.word = word


class Brackets:
    """The mentions of one document, from its cells one after another."""

    def __init__(self) -> None:
        self._words = self._begun = 0
        self._open: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._found: list[tuple[int, str, Span]] = []

    def add(self, cell: str) -> None:
        """Read the cell of the next word."""
        word, self._words = self._words, self._words + 1
        if cell in NONE:
            return
        if _PART.sub("", cell).strip("|"):
            raise BadBracketError(f"{cell[:40]!r} in the last column", word)
        for part in _PART.finditer(cell):
            if part["end"] is None:
                name = part["one"] or part["begin"]
                self._open[name].append((self._begun, word))
                self._begun += 1
                if part["begin"]:
                    continue
            else:
                name = part["end"]
            if not self._open[name]:
                raise BadBracketError(f"{cell[:40]!r} ends a mention that never began", word)
            order, first = self._open[name].pop()
            self._found.append((order, name, (first, word + 1)))

    def clusters(self) -> Clusters:
        """The clusters of the document, by their first mentions."""
        for name, begun in self._open.items():
            if begun:
                raise BadBracketError(
                    f"the mention that '({name[:40]}' begins never ends", begun[-1][1]
                )
        seen: set[Span] = set()
        spans: defaultdict[str, list[Span]] = defaultdict(list)
        for _, name, span in sorted(self._found):
            if span not in seen:
                seen.add(span)
                spans[name].append(span)
        return in_text_order(spans.values())


def cells(document: CorefDocument) -> Sequence[str]:
    """The last column of a document: outer mentions begin first and end last.

    The format cannot tell which of two crossing mentions of one cluster ends first, so those are
    refused.
    """
    begins: defaultdict[int, list[str]] = defaultdict(list)
    ends: defaultdict[int, list[str]] = defaultdict(list)
    for cluster in document.clusters:
        _refuse_crossing(cluster, document.name)
    named = [(*span, number) for number, spans in enumerate(document.clusters) for span in spans]
    for first, end, number in sorted(named, key=lambda one: (one[0], -one[1], one[2])):
        begins[first].append(f"({number})" if end == first + 1 else f"({number}")
    for first, end, number in sorted(named, key=lambda one: (-one[0], one[1], -one[2])):
        if end > first + 1:
            ends[end - 1].append(f"{number})")
    words = len(document.words)
    return ["|".join(ends[word] + begins[word]) or "-" for word in range(words)]


def _refuse_crossing(cluster: Sequence[Span], name: str) -> None:
    open_ends: list[Span] = []
    for first, end in sorted(cluster, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1][1] <= first:
            open_ends.pop()
        if open_ends and end > open_ends[-1][1]:
            raise UnslantError(
                f"Mentions {open_ends[-1]} and {(first, end)} of one cluster of document {name} "
                f"cross. CoNLL-2012 files cannot contain that."
            )
        open_ends.append((first, end))
