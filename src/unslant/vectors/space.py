"""What everything measures: a space gives one vector for each item, a word or a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import getattr_static
from typing import Protocol, TypeGuard

from unslant.core.types import Matrix


@dataclass(frozen=True)
class Found:
    """The outcome of a lookup, in the order asked.

    ``words`` are those that were found, ``forms`` how the space spells each, and ``missing`` the
    others.
    """

    words: tuple[str, ...]
    forms: tuple[str, ...]
    missing: tuple[str, ...]


class Space(Protocol):
    """Words or sentences with a vector each.

    ``WordVectors`` is the space that also has a vocabulary, ranked by frequency; a space of
    sentences encodes whatever it is asked. ``content_hash`` identifies the vectors in a record.
    """

    @property
    def name(self) -> str:
        """What records and messages call it."""

    @property
    def dim(self) -> int:
        """The number of components of each vector."""

    @property
    def content_hash(self) -> str:
        """A SHA-256 that is the same for the same vectors."""

    def rows(self, items: Sequence[str]) -> Matrix:
        """The vectors of items, one a row; an item that the space lacks is an error."""

    def lookup(self, items: Sequence[str], case: str = "lower") -> Found:
        """Which items the space has, and under which spelling."""


def is_space(given: object) -> TypeGuard[Space]:
    """Whether an object has all that a space has; its properties are not computed for this."""
    needed = ("name", "dim", "content_hash", "rows", "lookup")
    return all(getattr_static(given, attribute, None) is not None for attribute in needed)
