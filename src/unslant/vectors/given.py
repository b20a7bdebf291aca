"""Vectors in any form: loaded, in a file, from gensim, or any space."""

from pathlib import Path
from typing import cast

from unslant.core.errors import UnslantError
from unslant.vectors.keyed import KeyedVectors
from unslant.vectors.load import load
from unslant.vectors.space import Space, is_space
from unslant.vectors.wordvectors import WordVectors

GivenVectors = WordVectors | KeyedVectors | str | Path
"""What functions that work on vectors accept."""
GivenSpace = GivenVectors | Space
"""What functions that work on any space accept."""


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


def space_from(given: GivenSpace) -> Space:
    """A space as it is, or the vectors that are given in another form."""
    return given if is_space(given) else vectors_from(cast(GivenVectors, given))
