"""The vectors that metrics measure and methods transform."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import (
    DamagedFileError,
    MissingWordsError,
    UndefinedMeasureError,
    UnslantError,
    refuse_one_text,
)
from unslant.core.lineage import Lineage
from unslant.core.types import Matrix
from unslant.core.visible import legible
from unslant.numerics.chunks import row_blocks
from unslant.numerics.decimals import Ragged
from unslant.vectors.blocks import word_fault
from unslant.vectors.sealed import SealedRows
from unslant.vectors.vocabulary import FoundWords, Vocabulary, find


class HashMemory(Protocol):
    """Storage for the hash of a file's content between processes."""

    def recall(self) -> str | None:
        """The hash, if it is known."""

    def remember(self, content_hash: str) -> None:
        """Store the hash."""


class WordVectors:
    """Words and their vectors, read-only: a matrix in memory or mapped from a file.

    >>> tiny = WordVectors.of({"she": [1.0, 0.0], "he": [0.0, 1.0]}, name="tiny")
    >>> tiny["he"].tolist(), "they" in tiny, str(tiny)
    ([0.0, 1.0], False, 'tiny (2 words × 2)')
    """

    def __init__(
        self,
        words: Vocabulary,
        matrix: Matrix | SealedRows,
        lineage: Lineage,
        *,
        origin: Mapping[str, Any] | None = None,
        content_hash: str | None = None,
        hash_memory: HashMemory | None = None,
    ) -> None:
        if len(matrix.shape) != 2 or matrix.shape[0] != len(words):
            raise UnslantError(
                f"{len(words):,} words need a matrix with as many rows, not {matrix.shape}."
            )
        if not isinstance(matrix, SealedRows):
            if matrix.dtype != np.float32:
                raise UnslantError(f"The matrix must be float32, not {matrix.dtype}.")
            matrix = matrix.view()
            matrix.flags.writeable = False
        self.words = words
        self._matrix = matrix
        self.lineage = lineage
        self.origin: dict[str, Any] = dict(origin or {})
        self._known_hash = content_hash
        self._hash_memory = hash_memory

    @classmethod
    def of(cls, vectors: Mapping[str, Sequence[float]], name: str = "vectors") -> "WordVectors":
        """Vectors given as a mapping, checked like a file."""
        for word in vectors:
            if fault := word_fault(word.encode(errors="surrogatepass"), in_text=False):
                raise UnslantError(f'The word "{legible(word)}" cannot have a vector: {fault[1]}.')
        rows = list(vectors.values())
        if len({len(row) for row in rows}) != 1 or not len(rows[0]):
            raise UnslantError("Every word needs a vector of the same length, at least 1.")
        with np.errstate(over="ignore"):  # a number too large becomes infinite and is then refused
            matrix = np.array(rows, dtype=np.float64).astype(np.float32)
        made = cls(Vocabulary.of(list(vectors)), matrix, Lineage(name))
        made.check_finite()
        return made

    @property
    def name(self) -> str:
        """The origin and the steps applied since, such as ``glove.6B.300d.hard``."""
        return str(self.lineage)

    @property
    def dim(self) -> int:
        """The number of components of each vector."""
        return int(self._matrix.shape[1])

    @property
    def matrix(self) -> Matrix:
        """All vectors, one per row; those in a mapped file are all checked first, once.

        For a few words of a large file, use :meth:`rows`, which reads and checks only those.
        """
        return self._matrix.whole() if isinstance(self._matrix, SealedRows) else self._matrix

    def rows(self, items: Sequence[str]) -> Matrix:
        """A copy of the vectors of some words, spelled exactly as in the vocabulary."""
        refuse_one_text(items, self.name)
        numbers = self.words.rows_of(items)
        if (numbers < 0).any():
            pairs = zip(items, numbers.tolist(), strict=True)
            raise MissingWordsError({"asked": [word for word, row in pairs if row < 0]}, self.name)
        return self.rows_at(numbers)

    def rows_at(self, numbers: NDArray[np.int64]) -> Matrix:
        """A copy of the vectors in some rows, by row number."""
        if isinstance(self._matrix, SealedRows):
            return self._matrix.take(numbers)
        return self._matrix[numbers]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about unusual content in the source file."""
        return tuple(self.origin.get("notes", ()))

    @property
    def content_hash(self) -> str:
        """The SHA-256 of words and float32 values, independent of the file format."""
        if self._known_hash is None and self._hash_memory:
            self._known_hash = self._hash_memory.recall()
        if self._known_hash is None:
            self._known_hash = self._computed_hash()
            if self._hash_memory:
                self._hash_memory.remember(self._known_hash)
        if isinstance(self._matrix, SealedRows):  # a record must not name overwritten content
            self._matrix.expect_unchanged()
        return self._known_hash

    def _computed_hash(self) -> str:
        digest = ContentHash(self.words, self.dim)
        matrix = self.matrix
        for rows in row_blocks(len(self), 4 * self.dim):
            digest.update(matrix[rows])
        return digest.hexdigest()

    @property
    def family_hashes(self) -> frozenset[str]:
        """The hashes of these vectors, of their source file and of all intermediate steps.

        Two sets of vectors that share one of them come from the same root.
        """
        known = (self.content_hash, self.origin.get("sha256"), *self.origin.get("ancestors", ()))
        return frozenset(str(hash) for hash in known if hash)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __getitem__(self, word: str) -> Matrix:
        vector: Matrix = self.rows([word])[0]
        vector.flags.writeable = False
        return vector

    def __str__(self) -> str:
        return f"{self.name} ({len(self):,} words × {self.dim})"

    def __repr__(self) -> str:
        return f"<WordVectors {self}>"

    def lookup(self, words: Sequence[str], case: str = "lower") -> FoundWords:
        """Find words by exact form, then by the case policy; the result lists missing words."""
        refuse_one_text(words, self.name)
        return find(self.words, words, case)

    def head(self, count: int) -> "WordVectors":
        """The first ``count`` words: the most frequent ones in the usual files."""
        check_limit(count)
        if count > len(self):
            return self
        packed = self.words.packed
        shorter = Ragged(packed.blob[: int(packed.ends[count - 1])], packed.ends[:count])
        matrix = self._matrix
        first = matrix.head(count) if isinstance(matrix, SealedRows) else matrix[:count]
        return self._derived(Vocabulary(shorter), first, {"limit": count})

    def only(self, words: Sequence[str]) -> "WordVectors":
        """The given words, in this file's order; missing words are noted."""
        rows = self.words.rows_of(words)
        absent = len({word for word, row in zip(words, rows, strict=True) if row < 0})
        chosen = np.unique(rows[rows >= 0])
        if not len(chosen):
            raise UnslantError(
                f"None of the {len(words):,} requested words is in {self.name}. Words are looked "
                f"up exactly as written; check case and spelling."
            )
        notes = [f"{absent:,} requested words are missing from the file"] if absent else []
        facts = {"only": len(chosen), "notes": [*self.notes, *notes]}
        return self._derived(self.words.take(chosen), self.rows_at(chosen), facts)

    def most_similar(
        self, positive: str | Sequence[str], negative: str | Sequence[str] = (), count: int = 10
    ) -> list[tuple[str, float]]:
        """The words nearest by cosine to a word, or to a sum of words less others.

        >>> from unslant.vectors import load
        >>> [word for word, _ in load().most_similar(["king", "woman"], "man", count=1)]
        ['queen']
        """

        return most_similar(self, positive, negative, count)

    def to_gensim(self) -> Any:
        """The same words and numbers as gensim's ``KeyedVectors``."""
        from unslant.vectors.keyed import to_keyed

        return to_keyed(self)

    def check_finite(self, where: str | None = None) -> None:
        """Raise an error for vectors that contain NaN or infinity, naming the first such word."""
        for rows in row_blocks(len(self), 4 * self.dim):
            expect_finite(self.matrix[rows], self.words, rows.start, where or self.name)

    def count_zero_vectors(self) -> int:
        """How many words have the zero vector, which has no direction and no cosine."""
        return sum(
            int((~self.matrix[rows].any(axis=1)).sum())
            for rows in row_blocks(len(self), 4 * self.dim)
        )

    def _derived(
        self, words: Vocabulary, matrix: Matrix | SealedRows, facts: dict[str, Any]
    ) -> "WordVectors":
        origin = {**self.origin, **facts}
        if "sha256" not in origin:  # without a file, only the content identifies the origin
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
        """The hash of everything added."""
        return self._digest.hexdigest()


def expect_finite(block: Matrix, words: Vocabulary, start: int, where: str) -> None:
    """Raise an error for rows, starting at word ``start``, that contain NaN or infinity."""
    bad = ~np.isfinite(block).all(axis=1)
    if bad.any():
        word = words.packed[start + int(np.flatnonzero(bad)[0])]
        raise DamagedFileError(
            f'{where}: the vector of "{legible(word)}" contains a value that is not finite. Every '
            f"component must be an ordinary float32 number; remove or correct the word."
        )


def check_limit(count: int) -> None:
    """Raise an error for an invalid number of words."""
    if not isinstance(count, int) or count < 1:
        raise UnslantError(f"The limit must be at least 1 word. Got {count!r} instead.")


# The words whose vectors point most nearly the same way.


def most_similar(
    vectors: "WordVectors",
    positive: str | Sequence[str],
    negative: str | Sequence[str] = (),
    count: int = 10,
) -> list[tuple[str, float]]:
    """The words nearest by cosine to the sum of unit vectors, some of them subtracted.

    The query words are left out. Nearest come first; equal cosines in the order of the
    vectors. Vectors are read block by block, so memory does not grow with the vocabulary.
    """
    plus, minus = ([side] if isinstance(side, str) else list(side) for side in (positive, negative))
    if not isinstance(count, int) or count < 1:
        raise UnslantError(f"count must be at least 1, not {count!r}.")
    if not plus and not minus:
        raise UnslantError('Name at least one word, as in vectors.most_similar("nurse").')
    queries = [*plus, *minus]
    rows = vectors.words.rows_of(queries)
    if (rows < 0).any():
        absent = [word for word, row in zip(queries, rows.tolist(), strict=True) if row < 0]
        raise MissingWordsError({"asked": absent}, vectors.name)
    units = vectors.rows_at(rows).astype(np.float64)
    lengths = np.linalg.norm(units, axis=1)
    if not lengths.all():
        word = queries[int(np.flatnonzero(lengths == 0)[0])]
        raise UndefinedMeasureError(f'"{word}" has the zero vector, which has no direction.')
    signs = np.array([1.0] * len(plus) + [-1.0] * len(minus))
    wanted = signs @ (units / lengths[:, None])
    if not (length := float(np.linalg.norm(wanted))) > 1e-9:
        raise UndefinedMeasureError("These words cancel out, so no word is nearest to them.")
    wanted /= length
    best_rows = np.empty(0, dtype=np.int64)
    best = np.empty(0)
    for block in row_blocks(len(vectors), 8 * vectors.dim):
        numbers = np.arange(block.start, block.stop)
        part = vectors.rows_at(numbers).astype(np.float64)
        norms = np.linalg.norm(part, axis=1)
        cosines = np.where(norms > 0, part @ wanted / np.where(norms > 0, norms, 1.0), -np.inf)
        # Rounded, so that words with the same vector tie and stay in the order of the file.
        cosines = np.round(cosines, 12)
        cosines[np.isin(numbers, rows)] = -np.inf
        best_rows, best = np.concatenate([best_rows, numbers]), np.concatenate([best, cosines])
        first = np.lexsort((best_rows, -best))[:count]
        best_rows, best = best_rows[first], best[first]
    return [
        (vectors.words[row], float(cosine))
        for row, cosine in zip(best_rows.tolist(), best.tolist(), strict=True)
        if np.isfinite(cosine)
    ]
