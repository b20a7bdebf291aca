"""What a tagger is: anything that gives a tag for each word."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class Tagger(Protocol):
    """A model for named entities or parts of speech."""

    def tag(self, sentences: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
        """For each sentence, given as its words, one tag for each word, such as B-PER or O."""
        ...
