"""The lineage of a set of vectors: its origin and the steps applied since."""

import re
from dataclasses import dataclass

_SUFFIXES = re.compile(r"\.(txt|vec|bin|safetensors|npz|gz|xz|bz2|zip)\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Lineage:
    """An origin and the steps applied to it, printed as ``glove.6B.300d.hard.misp(k=4)``.

    Steps are printed unchanged, because different sets of vectors must not share a name. Code that
    adds a step omits default values from it.
    """

    origin: str
    steps: tuple[str, ...] = ()

    def then(self, step: str) -> "Lineage":
        """The lineage after one more step."""
        return Lineage(self.origin, (*self.steps, step))

    def __str__(self) -> str:
        return ".".join((self.origin, *self.steps))


def name_of_file(filename: str) -> str:
    """A file's name without the suffixes that only describe its storage format.

    >>> name_of_file("glove.6B.300d.txt.gz")
    'glove.6B.300d'
    """
    while match := _SUFFIXES.search(filename):
        filename = filename[: match.start()]
    return filename or "vectors"
