"""Vectors in whichever form a caller has them: loaded, in a file, or in gensim."""

from pathlib import Path

from unslant.core.errors import UnslantError
from unslant.vectors.keyed import KeyedVectors
from unslant.vectors.load import load
from unslant.vectors.wordvectors import WordVectors

GivenVectors = WordVectors | KeyedVectors | str | Path
"""What every function takes that works on vectors."""


def vectors_from(given: GivenVectors) -> WordVectors:
    """The vectors themselves, those in the file at a path, or those of gensim."""
    if isinstance(given, WordVectors):
        return given
    if isinstance(given, str | Path | KeyedVectors):
        return load(given)
    raise UnslantError(
        f"Expected word vectors (from us.load, the path of a file, or gensim KeyedVectors), not "
        f"{type(given).__name__}. Check the order: vectors come before the concept."
    )
