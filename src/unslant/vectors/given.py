"""Vectors in any form: loaded, in a file, or from gensim."""

from pathlib import Path

from unslant.core.errors import UnslantError
from unslant.vectors.keyed import KeyedVectors
from unslant.vectors.load import load
from unslant.vectors.wordvectors import WordVectors

GivenVectors = WordVectors | KeyedVectors | str | Path
"""What functions that work on vectors accept."""


def vectors_from(given: GivenVectors) -> WordVectors:
    """The given vectors, the vectors in the file at a path, or those from gensim."""
    if isinstance(given, WordVectors):
        return given
    if isinstance(given, str | Path | KeyedVectors):
        return load(given)
    raise UnslantError(
        f"Expected word vectors (from us.load, the path of a file, or gensim KeyedVectors), not "
        f"{type(given).__name__}. Check the order: vectors come before the concept."
    )
