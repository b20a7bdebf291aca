"""What a next-sentence model is: anything that says whether one sentence follows another."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike


@runtime_checkable
class NextSentence(Protocol):
    """A model with a head for the next sentence, such as BERT."""

    def score(self, firsts: Sequence[str], seconds: Sequence[str]) -> ArrayLike:
        """One probability for each pair, from 0 to 1, that the second sentence follows the first.

        ``firsts`` and ``seconds`` have the same length.
        """
        ...
