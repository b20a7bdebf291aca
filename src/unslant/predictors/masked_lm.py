"""What a masked language model is: anything that fills a gap in a text."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

MASK = "[MASK]"
"""How a gap is written, whatever a model's own sign for it is."""


@runtime_checkable
class MaskedLM(Protocol):
    """A model such as BERT."""

    def log_probabilities(self, texts: Sequence[str], fillers: Sequence[str]) -> ArrayLike:
        """One natural logarithm for each text: how probable its filler is in its one [MASK].

        ``texts`` and ``fillers`` have the same length. A filler of several pieces gets the sum of
        the logarithms of its pieces. No number is greater than 0.
        """
        ...
