"""What a sentiment scorer is: anything that gives a number for a text."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike


@runtime_checkable
class Sentiment(Protocol):
    """A lexicon, a classifier, a service."""

    def score(self, texts: Sequence[str]) -> ArrayLike:
        """One number for each text, from −1 (most negative) to 1 (most positive)."""
        ...
