"""What a next-sentence model is: anything that says whether one sentence follows another."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike


@runtime_checkable
class NextSentence(Protocol):
    """A model with a head for the next sentence, such as BERT."""

    def score(self, firsts: Sequence[str], seconds: Sequence[str]) -> ArrayLike:
        """The log-odds, one number for each pair, that the second sentence follows the first.

        ``firsts`` and ``seconds`` have the same length. Log-odds, because probabilities near 1
        round to ties.
        """
        ...
