"""What a sentence encoder is: anything that gives a vector for a sentence."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike


@runtime_checkable
class SentenceEncoder(Protocol):
    """A model whose sentence vectors are examined as a space."""

    def encode(self, sentences: Sequence[str]) -> ArrayLike:
        """One row for each sentence; all rows have the same length and finite numbers."""
        ...
