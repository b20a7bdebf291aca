"""What a gap filler is: anything that guesses the word in a gap."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike


@runtime_checkable
class GapFiller(Protocol):
    """A masked language model, asked for its best guess."""

    def recovers(self, texts: Sequence[str], fillers: Sequence[str]) -> ArrayLike:
        """One number for each text: 1 if its filler is the best guess for its one [MASK], else 0.

        ``texts`` and ``fillers`` have the same length. All pieces of a filler are masked at once,
        and each of them has to be the most probable in its place.
        """
        ...
