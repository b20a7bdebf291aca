"""Pairs of sentences in batches: of similar length, over the distinct words of the batch."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.datasets.nli import Corpus, SentenceTokens
from unslant.datasets.nli.text import tokenise
from unslant.predictors.protocols import PairGrid, Probabilities
from unslant.vectors import WordVectors

_POOL = 50
"""Batches whose pairs are sorted by length together: less padding, and still a random order."""


@dataclass(frozen=True)
class Batch:
    """Pairs over the distinct words of the batch: ``places`` point into ``words``."""

    words: NDArray[np.int64]
    places: tuple[NDArray[np.int64], NDArray[np.int64]]
    is_word: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    labels: NDArray[np.int64]


def batches(corpus: Corpus, size: int, rng: np.random.Generator | None = None) -> Iterator[Batch]:
    """All pairs once: in random order with a generator, otherwise by length."""
    for chosen in groups_of_similar_length(corpus, size, rng):
        yield _batch(corpus, chosen)


def groups_of_similar_length(
    corpus: Corpus, size: int, rng: np.random.Generator | None = None
) -> list[NDArray[np.int64]]:
    """Which pairs each batch has."""
    lengths = corpus.premises.lengths + corpus.hypotheses.lengths
    if rng is None:
        order = np.argsort(lengths, kind="stable")
        return [order[at : at + size] for at in range(0, len(order), size)]
    groups = []
    order = rng.permutation(len(lengths))
    for at in range(0, len(order), size * _POOL):
        pool = order[at : at + size * _POOL]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        groups += [pool[start : start + size] for start in range(0, len(pool), size)]
    return [groups[place] for place in rng.permutation(len(groups))]


def _batch(corpus: Corpus, chosen: NDArray[np.int64]) -> Batch:
    (first, in_first), (second, in_second) = (
        _padded(side, chosen) for side in (corpus.premises, corpus.hypotheses)
    )
    words, places = np.unique(np.concatenate([first.ravel(), second.ravel()]), return_inverse=True)
    return Batch(
        words=words,
        places=(
            places[: first.size].reshape(first.shape),
            places[first.size :].reshape(second.shape),
        ),
        is_word=(in_first, in_second),
        labels=corpus.labels[chosen].astype(np.int64),
    )


def _padded(
    side: SentenceTokens, chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The words of the chosen sentences as a table, and which of its places hold a word."""
    lengths = side.lengths[chosen]
    within = np.arange(lengths.max())
    is_word = within < lengths[:, None]
    at = np.where(is_word, side.offsets[chosen][:, None] + within, 0)
    return side.ids[at].astype(np.int64), is_word


# Sentences as places in a table of their words, and pairs of them in batches of similar length.

_BATCH = 512

Sentence = tuple[int, ...]
Pair = tuple[Sentence, Sentence]


class WordTable:
    """Distinct words in the order of their first appearance, in lower case or as written."""

    def __init__(self, *, keeps_case: bool = False) -> None:
        self._place_of: dict[str, int] = {}
        self._keeps_case = keeps_case

    @property
    def words(self) -> list[str]:
        """The words, each at its place."""
        return list(self._place_of)

    def places(self, text: str) -> Sentence:
        """The words of a text as places in the table, which grows."""
        order, words = self._place_of, tokenise(text, keeps_case=self._keeps_case)
        return tuple(order.setdefault(word, len(order)) for word in words)


@dataclass(frozen=True)
class PairBatches:
    """Pairs of sentences in batches: ``rows`` are the indices of each batch's pairs."""

    words: list[str]
    batches: list[list[Pair]]
    rows: list[NDArray[np.int64]]

    @classmethod
    def of(
        cls, premises: Sequence[str], hypotheses: Sequence[str], *, keeps_case: bool = False
    ) -> "PairBatches":
        """The pairs by their length together; a sentence without a word is refused."""
        if len(premises) != len(hypotheses):
            raise UnslantError(
                f"Each premise needs one hypothesis; there are {len(premises):,} premises and "
                f"{len(hypotheses):,} hypotheses."
            )
        table = WordTable(keeps_case=keeps_case)
        sides = [[table.places(text) for text in side] for side in (premises, hypotheses)]
        for texts, side in zip((premises, hypotheses), sides, strict=True):
            if () in side:
                raise _empty(texts[side.index(())])
        pairs = list(zip(*sides, strict=True))
        by_length = np.argsort([len(a) + len(b) for a, b in pairs], kind="stable")
        rows = [by_length[at : at + _BATCH] for at in range(0, len(pairs), _BATCH)]
        return cls(table.words, [[pairs[row] for row in some] for some in rows], rows)

    def gathered(self, found: Iterable[Probabilities]) -> Probabilities:
        """The batches' results, in the original order of the pairs."""
        answers = np.empty((sum(map(len, self.rows)), 3), np.float32)
        for some, answered in zip(self.rows, found, strict=True):
            answers[some] = answered
        return answers


@dataclass(frozen=True)
class GridWords:
    """The parts of a grid's sentences; a context is its words before the filler, and after it."""

    words: list[str]
    premises: list[Sentence]
    hypotheses: list[Sentence]
    contexts: list[tuple[Sentence, Sentence]]

    @classmethod
    def of(cls, grid: PairGrid, *, keeps_case: bool = False) -> "GridWords":
        """The fillers and contexts of a grid; a sentence without a word is refused."""
        table = WordTable(keeps_case=keeps_case)
        premises, hypotheses = (
            [table.places(filler) for filler in side] for side in (grid.premises, grid.hypotheses)
        )
        contexts = [(table.places(one.before), table.places(one.after)) for one in grid.contexts]
        fillers = [*premises, *hypotheses]
        # An empty filler in a context of words is a sentence, and so is a filler by itself.
        if () in fillers and ((), ()) in contexts:
            filler = (*grid.premises, *grid.hypotheses)[fillers.index(())]
            raise _empty(grid.contexts[contexts.index(((), ()))].sentence(filler))
        return cls(table.words, premises, hypotheses, contexts)


def _empty(sentence: str) -> UnslantError:
    return UnslantError(f"A sentence to compare needs at least one word; got {sentence!r}.")


# Words as the rows that a model reads: looked up, or made from the word itself.


@dataclass(frozen=True)
class Embedding:
    """The vectors under a model, all of one length.

    Debiasing methods leave vectors of different lengths (Hard Debias makes them 1, projections
    shorten them), and a model trained on one length fails on another; so each row is brought to
    the length √d / 2, which makes its numbers about ½. A word missing from the vectors gets a fixed
    vector of the same length, drawn from a hash of the word: the same word is the same vector
    everywhere, on every machine and under every debiasing. A zero vector stays zero.
    """

    vectors: WordVectors

    @property
    def length(self) -> float:
        """The length of every row."""
        return float(np.sqrt(self.vectors.dim)) / 2

    def rows(self, words: Sequence[str]) -> NDArray[np.float32]:
        """One row for each word."""
        places = self._places(words)
        rows = np.empty((len(words), self.vectors.dim), np.float32)
        there = places >= 0
        rows[there] = self.vectors.rows_at(places[there])
        for place in np.flatnonzero(~there).tolist():
            rows[place] = _hashed(words[place], self.vectors.dim)
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        np.divide(self.length, lengths, out=lengths, where=lengths > 0)
        rows *= lengths.astype(np.float32)
        return rows

    def missing(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words that get a vector made from their hash, in query order."""
        return tuple(words[place] for place in np.flatnonzero(self._places(words) < 0).tolist())

    def _places(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The row of each word in the vectors, looked up in any case; -1 for none."""
        found = self.vectors.lookup(words, case="any")
        rows = dict(zip(found.words, found.rows.tolist(), strict=True))
        return np.array([rows.get(word, -1) for word in words], dtype=np.int64)


def _hashed(word: str, dim: int) -> NDArray[np.float32]:
    seed = int.from_bytes(blake2b(word.encode(), digest_size=16).digest(), "little")
    return np.random.default_rng(seed).standard_normal(dim, dtype=np.float32)
