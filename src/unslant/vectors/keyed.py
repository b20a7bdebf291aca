"""Vectors from gensim and to it: its ``KeyedVectors``, checked like a file."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.lineage import Lineage
from unslant.vectors.blocks import word_fault
from unslant.vectors.vocabulary import Vocabulary
from unslant.vectors.wordvectors import WordVectors

NAME = "keyed-vectors"


@runtime_checkable
class KeyedVectors(Protocol):
    """The interface of gensim's ``KeyedVectors``: words, and a row of numbers for each."""

    index_to_key: Sequence[str]
    vectors: Any


def to_keyed(vectors: WordVectors) -> Any:
    """The same words and numbers as gensim's ``KeyedVectors``, copied."""
    try:
        from gensim.models import KeyedVectors as Keyed
    except ImportError as error:
        raise UnslantError(
            "gensim is not installed. Run: pip install gensim — or save the vectors in a format "
            'that gensim reads, with us.save(vectors, "vectors.bin").'
        ) from error
    keyed = Keyed(vectors.dim)
    keyed.add_vectors(list(vectors.words), np.array(vectors.matrix))
    return keyed


def from_keyed(given: KeyedVectors) -> WordVectors:
    """The same words and numbers, copied, because gensim's can be changed afterwards."""
    words = list(given.index_to_key)
    for word in words:
        if not isinstance(word, str):
            raise UnslantError(f"The key {word!r:.60} of the KeyedVectors is not a word.")
        if fault := word_fault(word.encode(errors="surrogatepass"), in_text=False):
            raise UnslantError(f"The word {word!r:.60} cannot have a vector: {fault[1]}.")
    with np.errstate(over="ignore"):  # a number too large becomes infinite and is then refused
        matrix = np.array(given.vectors, dtype=np.float32, order="C")
    if not words or matrix.ndim != 2 or len(matrix) < len(words) or not matrix.shape[1]:
        raise UnslantError(
            f"The KeyedVectors have {len(words):,} words and a matrix of shape {matrix.shape}; "
            f"every word needs a row."
        )
    word_vectors = WordVectors(Vocabulary.of(words), matrix[: len(words)], Lineage(NAME))
    word_vectors.check_finite()
    return word_vectors
