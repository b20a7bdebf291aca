"""Training documents cut into segments, with the true cluster of every candidate span."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.datasets.coreference.document import CorefDocument
from unslant.models.coreference.layout import Layout, Places, Read, layout


@dataclass(frozen=True, eq=False)
class Segment:
    """Sentences of a document, and ``cluster`` as words × widths: -1 for what is no mention."""

    laid: Layout
    cluster: Places

    def __len__(self) -> int:
        return len(self.laid.words)


def segments(document: CorefDocument, read: Read, longest: int, widest: int) -> Iterator[Segment]:
    """Parts of at most ``longest`` words, but whole sentences; links between parts are lost."""
    cluster = np.full((len(read.words), widest), -1, np.int64)
    for number, spans in enumerate(document.clusters):
        for begin, end in spans:
            if end - begin <= widest:
                cluster[begin, end - begin - 1] = number
    for words, sentences in _parts(read.lengths, longest):
        context = None if read.context is None else read.context[words]
        part = Read(read.words[words], read.cases[words], read.lengths[sentences], context)
        yield Segment(layout([part]), cluster[words])


def _parts(lengths: NDArray[np.int64], longest: int) -> Iterator[tuple[slice, slice]]:
    """Slices of words and of sentences."""
    word = begin_word = begin = 0
    for place, length in enumerate(lengths.tolist()):
        if word > begin_word and word + length - begin_word > longest:
            yield slice(begin_word, word), slice(begin, place)
            begin_word, begin = word, place
        word += length
    if word > begin_word:
        yield slice(begin_word, word), slice(begin, len(lengths))
