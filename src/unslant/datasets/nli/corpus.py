"""Labelled pairs of sentences as arrays of token ids."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Sentences:
    """Concatenated token ids; sentence ``i`` is ``ids[offsets[i]:offsets[i + 1]]``."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.int32]:
        if not 0 <= row < len(self):
            raise IndexError(f"There is no sentence {row} among {len(self)}.")
        return self.ids[self.offsets[row] : self.offsets[row + 1]]

    def chosen(self, rows: NDArray[np.int64]) -> "Sentences":
        """Some of the sentences."""
        parts = [self.ids[self.offsets[row] : self.offsets[row + 1]] for row in rows.tolist()]
        ids = np.concatenate([*parts, np.zeros(0, np.int32)])
        return Sentences(ids, np.cumsum([0, *map(len, parts)]).astype(np.int64))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many tokens each sentence has."""
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Pairs with their labels, which are indices into ``LABELS``, and a record of their origin.

    ``vocabulary`` contains the distinct tokens in order of first appearance; corpora that were
    read together share it. ``record`` can be written as JSON.
    """

    vocabulary: tuple[str, ...]
    premises: Sentences
    hypotheses: Sentences
    labels: NDArray[np.int8]
    record: Mapping[str, Any]
    texts: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """Premises and hypotheses as they were written, for models with a tokenizer of their own."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def content_hash(self) -> str:
        """The SHA-256 of the pairs as words and labels, independent of their files."""
        digest = hashlib.sha256("\n".join(self.vocabulary).encode())
        for side in (self.premises, self.hypotheses):
            digest.update(side.ids.tobytes() + side.offsets.tobytes())
        digest.update(self.labels.tobytes())
        return digest.hexdigest()

    def drawn(self, count: int, rng: np.random.Generator) -> "Corpus":
        """So many of the pairs, drawn without replacement, in their order; the record says it."""
        rows = np.sort(rng.choice(len(self), count, replace=False))
        premises, hypotheses = (side.chosen(rows) for side in (self.premises, self.hypotheses))
        texts = None
        if self.texts is not None:
            first, second = (tuple(side[row] for row in rows.tolist()) for side in self.texts)
            texts = first, second
        record = {**self.record, "drawn": count}
        return Corpus(self.vocabulary, premises, hypotheses, self.labels[rows], record, texts)

    def tokens(self, row: int) -> tuple[list[str], list[str]]:
        """The two sentences of a pair, as words."""
        premise, hypothesis = (
            [self.vocabulary[token] for token in side[row]]
            for side in (self.premises, self.hypotheses)
        )
        return premise, hypothesis
