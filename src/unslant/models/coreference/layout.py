"""Documents laid out for the network: all words in one row, sentences packed by time step.

Nothing is padded in the BiLSTM: at step t it gets the t-th word of every sentence that has one, so
sentences of any length share a batch. Everything here is NumPy and made once for each document.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.models.nli.batches import Embedding
from unslant.vectors import WordVectors

if TYPE_CHECKING:
    from unslant.models.coreference.context import WordsInSentences


Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DocumentLayout:
    """Some documents as one row of words.

    ``words`` and ``cases`` are numbers of each word, ``sentence`` the number of its sentence,
    ``room`` how many words its sentence has from it to the end, and ``starts`` where each document
    begins, with the number of all words at the end. ``onward`` and ``backward`` are the places of
    the words in the order in which the BiLSTM reads them, ``sizes`` how many it reads at each step.
    """

    words: Places
    cases: Places
    sentence: Places
    room: Places
    starts: Places
    onward: Places
    backward: Places
    sizes: Places
    context: NDArray[np.float32] | None = None

    @property
    def ways(self) -> "tuple[Places, Places, Places, Places]":
        """Both orders, and the place of each word in them."""
        return self.onward, self.backward, _inverse(self.onward), _inverse(self.backward)

    @property
    def lengths(self) -> Places:
        """How many words each document has."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class Read:
    """A document as numbers: for each sentence the words and how they are written."""

    words: Places
    cases: Places
    lengths: Places
    context: NDArray[np.float32] | None = None


def layout(documents: Sequence[Read]) -> DocumentLayout:
    """The documents one after another."""
    lengths = np.concatenate([each.lengths for each in documents])
    words = np.concatenate([each.words for each in documents])
    begins = np.cumsum(lengths) - lengths
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    within = np.arange(len(words)) - begins[sentence]
    # Longest sentences first: at each step those that still have a word are the first ones.
    rank = np.empty_like(lengths)
    rank[np.argsort(-lengths, kind="stable")] = np.arange(len(lengths))
    onward = np.lexsort((rank[sentence], within))
    mirror = (begins + lengths - 1)[sentence] - within
    contexts = [each.context for each in documents if each.context is not None]
    return DocumentLayout(
        words=words,
        cases=np.concatenate([each.cases for each in documents]),
        sentence=sentence,
        room=lengths[sentence] - within,
        starts=np.cumsum([0, *(len(each.words) for each in documents)]),
        onward=onward,
        backward=mirror[onward],
        sizes=np.bincount(within),
        context=np.concatenate(contexts) if contexts else None,
    )


def _inverse(order: Places) -> Places:
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    return inverse


# How words are written, and where sentences end in text that does not say so.

_ENDS = frozenset({".", "!", "?", "...", "…"})
_CLOSING = frozenset({'"', "''", "'", "”", "’", ")", "]", "-RRB-", "-RSB-"})


def case_of(word: str, *, is_first: bool) -> int:
    """How a word is written, as a number below :data:`CASES` in the settings.

    Lower case, a capital at the start of a sentence or elsewhere, one or more capitals only,
    digits, punctuation, or anything else.

    >>> [case_of(word, is_first=False) for word in ("she", "Jane", "I", "NATO", "12", "?", "iPod")]
    [0, 2, 3, 4, 5, 6, 7]
    """
    if word.islower():
        return 0
    if word.isupper():
        return 3 if len(word) == 1 else 4
    if word[:1].isupper() and word[1:].islower():
        return 1 if is_first else 2
    if any(character.isdigit() for character in word):
        return 5
    return 7 if any(character.isalpha() for character in word) else 6


def split_sentences(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """A document as sentences: each ends with ., ! or ? and the quotes that close after it.

    >>> list(split_sentences("Go ! '' he said .".split()))
    [['Go', '!', "''"], ['he', 'said', '.']]
    """
    start, ended = 0, False
    for place, word in enumerate(words):
        if ended and word not in _ENDS and word not in _CLOSING:
            yield words[start:place]
            start, ended = place, False
        ended = ended or word in _ENDS
    if start < len(words):
        yield words[start:]


# The words of documents as numbers, and the table of vectors they point into.


class DocumentWords:
    """Words numbered in order of appearance, in lower case; their casing is kept separately."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def read(
        self,
        sentences: Iterable[Sequence[str]],
        context: NDArray[np.float32] | None = None,
    ) -> Read:
        """A document as numbers."""
        numbers, cases, lengths = [], [], []
        for sentence in sentences:
            if not sentence:
                continue
            lengths.append(len(sentence))
            for place, word in enumerate(sentence):
                numbers.append(self._numbers.setdefault(word.lower(), len(self._numbers)))
                cases.append(case_of(word, is_first=place == 0))
        return Read(
            np.array(numbers, np.int64),
            np.array(cases, np.int64),
            np.array(lengths, np.int64),
            context,
        )

    def read_all(
        self,
        documents: Sequence[Sequence[Sequence[str]]],
        context: "WordsInSentences | None" = None,
        progress: Progress | None = None,
    ) -> list[Read]:
        """Documents as numbers, with the vectors of their words in context if there are any."""
        if context is None:
            return [self.read(document) for document in documents]
        vectors = context.of(documents, progress)
        return [self.read(*both) for both in zip(documents, vectors, strict=True)]

    @property
    def known(self) -> list[str]:
        """All words met so far, in the order of their numbers."""
        return list(self._numbers)

    def table(self, vectors: WordVectors) -> NDArray[np.float32]:
        """The vector of each word met so far, all of one length; unknown words get one by hash."""
        return Embedding(vectors).rows(self.known)
