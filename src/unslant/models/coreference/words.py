"""The words of documents as numbers, and the table of vectors they point into."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.models.coreference.layout import Read
from unslant.models.coreference.written import case_of
from unslant.models.nli.embedding import Embedding
from unslant.vectors import WordVectors

if TYPE_CHECKING:
    from unslant.models.coreference.context import WordsInSentences


class Words:
    """Words numbered as they are met, in lower case; how a word is written is told apart."""

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
