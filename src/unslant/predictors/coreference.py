"""What a coreference model is: anything that says which mentions are of the same thing."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

Span = tuple[int, int]
"""The first word of a mention and the one after its last."""


@runtime_checkable
class Coreference(Protocol):
    """A model that resolves pronouns."""

    def resolve(self, documents: Sequence[Sequence[str]]) -> Sequence[Sequence[Sequence[Span]]]:
        """For each document, given as its words, the clusters: spans that mean the same thing.

        A span is in at most one cluster; a mention that no other joins may be left out.
        """
        ...
