"""Documents with coreference whose group words are swapped: their clusters stay what they are.

Every word keeps its place, so spans do too. A counterpart of several words moves the spans after it
by as many words as it adds, and grows those that contain it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from unslant.concepts.swap.swap import Swap
from unslant.datasets.coreference.document import CorefDocument

ENDING = "_swapped"
"""What the name of a swapped document ends with."""


@dataclass(frozen=True)
class SwappedDocument:
    """A document after the swap, how many words were changed, and how many are ambiguous."""

    document: CorefDocument
    count: int
    ambiguous: int


def swapped_document(document: CorefDocument, swap: Swap) -> SwappedDocument:
    """A document with the words of two groups swapped, sentence by sentence.

    >>> from unslant.concepts.swap import swap_of
    >>> document = CorefDocument("d", (("She", "lost", "her", "keys"),), (((0, 1), (2, 3)),))
    >>> swapped_document(document, swap_of("gender")).document.sentences
    (('He', 'lost', 'his', 'keys'),)
    """
    sentences: list[tuple[str, ...]] = []
    sizes: list[int] = []
    count = ambiguous = 0
    for sentence in document.sentences:
        found = swap.tokens(sentence)
        pieces = [new.split() or [new] for new in found.tokens]
        sentences.append(tuple(word for piece in pieces for word in piece))
        sizes += map(len, pieces)
        count += sum(old != new for old, new in zip(sentence, found.tokens, strict=True))
        ambiguous += found.statuses.count("ambiguous")
    begins = [0, *accumulate(sizes)]
    clusters = tuple(
        tuple((begins[first], begins[end]) for first, end in cluster)
        for cluster in document.clusters
    )
    name = document.name
    name = name.removesuffix(ENDING) if name.endswith(ENDING) else f"{name}{ENDING}"
    return SwappedDocument(CorefDocument(name, tuple(sentences), clusters), count, ambiguous)


def doubled(documents: Iterable[CorefDocument], swap: Swap) -> Iterator[CorefDocument]:
    """Each document and, if anything in it is swapped, its twin (Zhao et al. 2018)."""
    for document in documents:
        yield document
        found = swapped_document(document, swap)
        if found.count:
            yield found.document
