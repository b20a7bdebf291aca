"""The space that metrics measure: one vector for each item, a word or a sentence."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import getattr_static
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError, refuse_one_text
from unslant.core.types import Matrix


@dataclass(frozen=True)
class Found:
    """The outcome of a lookup, in query order.

    ``words`` are those that were found, ``forms`` how the space spells each, and ``missing`` the
    others.
    """

    words: tuple[str, ...]
    forms: tuple[str, ...]
    missing: tuple[str, ...]


class Space(Protocol):
    """Words or sentences with a vector each.

    ``WordVectors`` is the space that also has a vocabulary, ranked by frequency; a space of
    sentences encodes any text. ``content_hash`` identifies the vectors in a record.
    """

    @property
    def name(self) -> str:
        """The name in records and messages."""

    @property
    def dim(self) -> int:
        """The number of components of each vector."""

    @property
    def content_hash(self) -> str:
        """A SHA-256 that is the same for the same vectors."""

    def rows(self, items: Sequence[str]) -> Matrix:
        """The vectors of items, one per row; a missing item is an error."""

    def lookup(self, items: Sequence[str], case: str = "lower") -> Found:
        """Which items the space has, and under which spelling."""


def is_space(given: object) -> TypeGuard[Space]:
    """Whether an object has all that a space has; its properties are not computed for this."""
    needed = ("name", "dim", "content_hash", "rows", "lookup")
    return all(getattr_static(given, attribute, None) is not None for attribute in needed)


# A space of sentences: any function or object that turns texts into vectors.


@runtime_checkable
class SentenceEncoder(Protocol):
    """An object with a method that returns a vector for each text."""

    def encode(self, sentences: list[str]) -> Any:
        """One vector for each sentence, as rows of an array."""


Encode = Callable[[list[str]], Any]


class SentenceSpace:
    """Sentences with their vectors from an encoder, each distinct one encoded once.

    :func:`space` makes one.
    """

    def __init__(
        self,
        encode: Encode,
        *,
        name: str,
        content_hash: str = "",
        dim: int | None = None,
        batch: int = 256,
    ) -> None:
        self.name = name
        self._encode = encode
        self._given_hash = content_hash
        self._dim = dim
        self._batch = batch
        self._known: dict[str, Matrix] = {}
        self._asked: set[str] = set()

    @property
    def dim(self) -> int:
        """The number of components of each vector, known once a sentence was encoded."""
        if self._dim is None:
            raise UnslantError(
                f"The dimension of {self.name} is unknown until it has encoded a sentence. Give "
                f"it with us.space(encode, name=…, dim=…)."
            )
        return self._dim

    @property
    def content_hash(self) -> str:
        """The given hash, or the SHA-256 of the sentences encoded so far and their vectors."""
        if self._given_hash:
            return self._given_hash
        digest = hashlib.sha256(b"unslant sentences 1\n")
        for sentence in sorted(self._asked):
            text = sentence.encode(errors="surrogatepass")
            digest.update(f"{len(text)}\n".encode() + text)
            digest.update(np.ascontiguousarray(self._known[sentence], dtype="<f4").data)
        return digest.hexdigest()

    def unasked(self) -> "SentenceSpace":
        """The same space and vectors, without the record of encoded sentences.

        Without a given hash, a result is identified by the sentences it rests on, and not by what
        else the space encoded before.
        """
        again = SentenceSpace(
            self._encode,
            name=self.name,
            content_hash=self._given_hash,
            dim=self._dim,
            batch=self._batch,
        )
        again._known = self._known
        return again

    def lookup(self, items: Sequence[str], case: str = "lower") -> Found:
        """Every sentence is found, exactly as it is written."""
        refuse_one_text(items, self.name)
        return Found(words=tuple(items), forms=tuple(items), missing=())

    def rows(self, items: Sequence[str]) -> Matrix:
        """The vectors of sentences, one a row."""
        refuse_one_text(items, self.name)
        new = [sentence for sentence in dict.fromkeys(items) if sentence not in self._known]
        for start in range(0, len(new), self._batch):
            batch = new[start : start + self._batch]
            self._known.update(zip(batch, self._encoded(batch), strict=True))
        self._asked.update(items)
        if not items:
            return np.zeros((0, self.dim), np.float32)
        return np.stack([self._known[sentence] for sentence in items])

    def _encoded(self, batch: list[str]) -> Matrix:
        """The vectors of one batch, checked."""
        given = self._encode(list(batch))
        try:
            rows: NDArray[np.float64] = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError, RuntimeError) as error:
            raise UnslantError(
                f"{self.name} did not encode its sentences as rows of numbers: {error}."
            ) from error
        is_matrix = rows.ndim == 2 and len(rows) == len(batch) and rows.shape[1] > 0
        if not is_matrix or self._dim not in (None, rows.shape[1]):
            raise UnslantError(
                f"{self.name} gave an array of shape {rows.shape} for {len(batch)} sentences. "
                f"Expected ({len(batch)}, {self._dim or 'd'}): one vector for each sentence."
            )
        with np.errstate(over="ignore"):  # too large becomes infinite, which is then refused
            matrix = rows.astype(np.float32)
        bad = ~np.isfinite(matrix).all(axis=1)
        if bad.any():
            raise UnslantError(
                f'{self.name} gave "{batch[int(np.flatnonzero(bad)[0])]}" a vector with a value '
                f"that is not finite. Leave the sentence out, or fix the encoder."
            )
        self._dim = matrix.shape[1]
        matrix.flags.writeable = False
        return matrix


def space(
    encode: Encode | SentenceEncoder,
    *,
    name: str,
    content_hash: str = "",
    dim: int | None = None,
    batch: int = 256,
) -> SentenceSpace:
    """A space of sentences from a function, or from an object with a method ``encode``.

    The encoder gets a list of up to ``batch`` texts and returns one vector for each. Its vectors
    must depend on nothing but the text. ``name`` and, if it is known, ``content_hash`` identify
    the encoder in records.

    >>> def encode(texts: list[str]) -> list[list[float]]:
    ...     return [[text.count("she"), text.count(" he ")] for text in texts]
    >>> space(encode, name="pronouns").rows(["Then she ran.", "Then he ran."]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if isinstance(encode, SentenceEncoder) and not isinstance(encode, str):
        encode = encode.encode
    if not callable(encode):
        raise UnslantError(
            f"A space of sentences needs a function that takes a list of texts and returns a "
            f'vector for each, or an object with such a method "encode", not '
            f"{type(encode).__name__}."
        )
    if batch < 1:
        raise UnslantError(f"A batch needs at least 1 sentence. Got {batch} instead.")
    return SentenceSpace(encode, name=name, content_hash=content_hash, dim=dim, batch=batch)
