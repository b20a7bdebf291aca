"""The words of documents as numbers, and the table of vectors they point into."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from unslant.models.coreference.layout import Read
from unslant.models.coreference.written import case_of
from unslant.models.nli.embedding import Embedding
from unslant.vectors import WordVectors


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

    @property
    def known(self) -> list[str]:
        """All words met so far, in the order of their numbers."""
        return list(self._numbers)

    def table(self, vectors: WordVectors) -> NDArray[np.float32]:
        """The vector of each word met so far, all of one length; unknown words get one by hash."""
        return Embedding(vectors).rows(self.known)
