"""What gives the vector of a name in a sentence, and that of the rest of the sentence."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

Spans = Sequence[tuple[int, int]]
"""Where the mentions of a name begin and end in a text, in characters."""

LAST = "last"
"""The place of the last layer, whatever a model calls it."""


@runtime_checkable
class NameInContext(Protocol):
    """An encoder with a vector for every token."""

    def name_and_rest(
        self, texts: Sequence[str], spans: Sequence[Spans], place: str = LAST
    ) -> tuple[ArrayLike, ArrayLike]:
        """Two vectors for each text: the mean over the name's tokens, the sum over all others.

        Neither has padding or tokens that the tokenizer added. Rows are NaN for a text that is too
        long, or in which a name has no token of its own.
        """
        ...
