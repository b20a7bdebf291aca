"""The value that everything measures and every method transforms."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError, MissingWordsError, UnslantError
from unslant.core.lineage import Lineage
from unslant.numerics.chunks import row_blocks
from unslant.numerics.ragged import Ragged
from unslant.vectors.blocks import legible
from unslant.vectors.formats.wordrules import word_fault
from unslant.vectors.lookup import Found, find
from unslant.vectors.vocabulary import Vocabulary

Matrix = NDArray[np.float32]


class WordVectors:
    """Words and their vectors, read-only: a matrix in memory or mapped from a file.

    >>> tiny = WordVectors.of({"she": [1.0, 0.0], "he": [0.0, 1.0]}, name="tiny")
    >>> tiny["he"].tolist(), "they" in tiny, str(tiny)
    ([0.0, 1.0], False, 'tiny (2 words × 2)')
    """

    def __init__(
        self,
        words: Vocabulary,
        matrix: Matrix,
        lineage: Lineage,
        *,
        origin: Mapping[str, Any] | None = None,
        content_hash: str | None = None,
    ) -> None:
        if matrix.ndim != 2 or matrix.shape[0] != len(words):
            raise UnslantError(
                f"{len(words):,} words need a matrix of as many rows, not of shape {matrix.shape}."
            )
        if matrix.dtype != np.float32:
            raise UnslantError(f"The matrix must be float32, not {matrix.dtype}.")
        matrix = matrix.view()
        matrix.flags.writeable = False
        self.words = words
        self.matrix = matrix
        self.lineage = lineage
        self.origin: dict[str, Any] = dict(origin or {})
        self._known_hash = content_hash

    @classmethod
    def of(cls, vectors: Mapping[str, Sequence[float]], name: str = "vectors") -> "WordVectors":
        """Vectors given as a mapping, checked like a file."""
        for word in vectors:
            if fault := word_fault(word.encode(errors="surrogatepass"), in_text=False):
                raise UnslantError(f"The word {word!r} cannot have a vector: {fault[1]}.")
        rows = list(vectors.values())
        if len({len(row) for row in rows}) != 1 or not len(rows[0]):
            raise UnslantError("Every word needs a vector of the same length, at least 1.")
        with np.errstate(over="ignore"):  # too large becomes infinite, which is then refused
            matrix = np.array(rows, dtype=np.float64).astype(np.float32)
        made = cls(Vocabulary.of(list(vectors)), matrix, Lineage(name))
        made.check_finite()
        return made

    @property
    def name(self) -> str:
        """The origin and what was done since, such as ``glove.6B.300d.hard``."""
        return str(self.lineage)

    @property
    def dim(self) -> int:
        """The number of components of each vector."""
        return int(self.matrix.shape[1])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was unusual about the file that these came from."""
        return tuple(self.origin.get("notes", ()))

    @cached_property
    def content_hash(self) -> str:
        """The SHA-256 of words and float32 values, the same whatever file they came from."""
        if self._known_hash:
            return self._known_hash
        digest = ContentHash(self.words, self.dim)
        for rows in row_blocks(len(self), 4 * self.dim):
            digest.update(self.matrix[rows])
        return digest.hexdigest()

    @property
    def family_hashes(self) -> frozenset[str]:
        """The hashes of these vectors, of the file they came from and of all on the way.

        Two sets of vectors that share one of them come from the same root.
        """
        known = (self.content_hash, self.origin.get("sha256"), *self.origin.get("ancestors", ()))
        return frozenset(str(hash) for hash in known if hash)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __getitem__(self, word: str) -> Matrix:
        row = int(self.words.rows_of([word])[0])
        if row < 0:
            raise MissingWordsError({"asked": [word]}, self.name)
        vector: Matrix = self.matrix[row]
        return vector

    def __str__(self) -> str:
        return f"{self.name} ({len(self):,} words × {self.dim})"

    def __repr__(self) -> str:
        return f"<WordVectors {self}>"

    def lookup(self, words: Sequence[str], case: str = "lower") -> Found:
        """Find words by exact form, then by the case policy; what is missing is in the answer."""
        return find(self.words, words, case)

    def head(self, count: int) -> "WordVectors":
        """The first ``count`` words: the most frequent ones in the usual files."""
        check_limit(count)
        if count > len(self):
            return self
        packed = self.words.packed
        shorter = Ragged(packed.blob[: int(packed.ends[count - 1])], packed.ends[:count])
        return self._derived(Vocabulary(shorter), self.matrix[:count], {"limit": count})

    def only(self, words: Sequence[str]) -> "WordVectors":
        """The given words, in this file's order; words that it lacks are noted."""
        rows = self.words.rows_of(words)
        absent = len({word for word, row in zip(words, rows, strict=True) if row < 0})
        chosen = np.unique(rows[rows >= 0])
        if not len(chosen):
            raise UnslantError(
                f"None of the {len(words):,} words asked for is in {self.name}. Words are looked "
                f"up exactly as written; check case and spelling."
            )
        notes = [f"{absent:,} of the words asked for are not in the file"] if absent else []
        facts = {"only": len(chosen), "notes": [*self.notes, *notes]}
        return self._derived(self.words.take(chosen), self.matrix[chosen], facts)

    def check_finite(self, where: str | None = None) -> None:
        """Refuse vectors that hold NaN or infinity, naming the first such word."""
        for rows in row_blocks(len(self), 4 * self.dim):
            bad = ~np.isfinite(self.matrix[rows]).all(axis=1)
            if bad.any():
                word = self.words.packed[rows.start + int(np.flatnonzero(bad)[0])]
                raise DamagedFileError(
                    f'{where or self.name}: the vector of "{legible(word)}" holds a value that is '
                    f"not finite. Every component must be an ordinary float32 number; remove or "
                    f"mend the word."
                )

    def count_zero_vectors(self) -> int:
        """How many words have the zero vector, which has no direction and no cosine."""
        return sum(
            int((~self.matrix[rows].any(axis=1)).sum())
            for rows in row_blocks(len(self), 4 * self.dim)
        )

    def _derived(self, words: Vocabulary, matrix: Matrix, facts: dict[str, Any]) -> "WordVectors":
        origin = {**self.origin, **facts}
        if "sha256" not in origin:  # without a file, only the content says where they came from
            origin["ancestors"] = [*origin.get("ancestors", ()), self.content_hash]
        return WordVectors(words, matrix, self.lineage, origin=origin)


class ContentHash:
    """The SHA-256 of words and float32 values, fed with the rows in their order."""

    def __init__(self, words: Vocabulary, dim: int) -> None:
        self._digest = hashlib.sha256(f"unslant vectors 1 {len(words)} {dim}\n".encode())
        self._digest.update(np.ascontiguousarray(words.packed.ends, dtype="<i8").data)
        self._digest.update(np.ascontiguousarray(words.packed.blob).data)

    def update(self, rows: Matrix) -> None:
        """Add the next rows."""
        self._digest.update(np.ascontiguousarray(rows, dtype="<f4").data)

    def hexdigest(self) -> str:
        """The hash of all that was added."""
        return self._digest.hexdigest()


def check_limit(count: int) -> None:
    """Refuse a number of words that is none."""
    if count < 1:
        raise UnslantError(f"The limit must be at least 1 word. Got {count} instead.")
