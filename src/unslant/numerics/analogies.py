"""The exact best fourth word of many analogies a : b = c : ?, block by block.

A benchmark asks tens of thousands of questions about a thousand words. The cosines of those few
words with a block of the vocabulary are therefore computed once; a question is then the row of its
pair (a, b) combined with the row of c, and only the maximum of the sum (or product) is needed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Matrix
from unslant.numerics.chunks import ordered_parallel

Rows = NDArray[np.int64]

_EPSILON = np.float32(0.001)
_BLOCK_WORDS = 4096
_TILE_QUESTIONS = 64


@dataclass(frozen=True, eq=False)
class AnalogyRows:
    """Questions as indices into ``words``, the rows of all words in questions."""

    words: Rows
    pairs: Rows
    """The indices of a and b in each distinct pair."""
    pair: Rows
    """For each question, the number of its pair."""
    third: Rows
    """For each question, the index of c."""

    @classmethod
    def of(cls, rows: Rows) -> "AnalogyRows":
        """From the rows of a, b and c, one question per line."""
        words, places = np.unique(rows, return_inverse=True)
        places = places.reshape(rows.shape)
        pairs, pair = np.unique(places[:, :2], axis=0, return_inverse=True)
        return cls(words, pairs, pair.reshape(-1), places[:, 2])


def best_fourth_words(
    matrix: Matrix,
    rows: Rows,
    same_word: Rows,
    method: str,
    progress: Callable[[int, int], None] | None = None,
) -> Rows:
    """For each question the row of the best d other than a, b and c.

    ``rows`` has the rows of a, b and c. ``same_word`` gives for each row of the matrix the first
    row that counts as the same word; a word that counts as one of the question's is never the
    answer, nor is a word with the zero vector. Among equal scores the first row wins.
    """
    asked = AnalogyRows.of(rows)
    units = _unit(matrix[asked.words])
    best = np.full(len(rows), _lowest(method), dtype=np.float32)
    answers = np.full(len(rows), -1, dtype=np.int64)

    def work(block: slice) -> tuple[slice, Rows, Matrix]:
        return block, *_best_in_block(matrix[block], block, units, asked, same_word, method)

    for block, places, scores in ordered_parallel(work, _blocks(len(matrix))):
        is_better = scores > best
        best[is_better] = scores[is_better]
        answers[is_better] = places[is_better] + block.start
        if progress:
            progress(block.stop, len(matrix))
    return answers


def _best_in_block(
    rows: Matrix, block: slice, units: Matrix, asked: AnalogyRows, same_word: Rows, method: str
) -> tuple[Rows, Matrix]:
    """The index in the block of each question's best word, and its score."""
    thirds = units @ _unit(rows).T
    is_add = method == "3cosadd"
    if not is_add:
        thirds = np.maximum((1 + thirds) / 2, 0)  # rounding may leave it a little below 0
    pairs = thirds[asked.pairs[:, 1]]
    if is_add:
        pairs -= thirds[asked.pairs[:, 0]]
    else:
        pairs /= thirds[asked.pairs[:, 0]] + _EPSILON
    _rule_out(pairs, thirds, rows, same_word[block], asked, _lowest(method))
    combine = np.add if is_add else np.multiply
    count, width = len(asked.pair), len(rows)
    places = np.empty(count, dtype=np.int64)
    scores = np.empty(count, dtype=np.float32)
    left = np.empty((_TILE_QUESTIONS, width), dtype=np.float32)
    right = np.empty_like(left)
    for begin in range(0, count, _TILE_QUESTIONS):
        tile = slice(begin, min(begin + _TILE_QUESTIONS, count))
        size = tile.stop - begin
        np.take(pairs, asked.pair[tile], axis=0, out=left[:size], mode="clip")
        np.take(thirds, asked.third[tile], axis=0, out=right[:size], mode="clip")
        combine(left[:size], right[:size], out=left[:size])
        places[tile] = left[:size].argmax(axis=1)
        scores[tile] = left[np.arange(size), places[tile]]
    return places, scores


def _rule_out(
    pairs: Matrix,
    thirds: Matrix,
    rows: Matrix,
    same_word: Rows,
    asked: AnalogyRows,
    lowest: np.float32,
) -> None:
    """Give the lowest score to the words of the question and to words without a direction."""
    at = np.minimum(np.searchsorted(asked.words, same_word), len(asked.words) - 1)
    columns = np.flatnonzero(asked.words[at] == same_word)
    thirds[at[columns], columns] = lowest
    for column in columns.tolist():  # at most the words that are asked about, over all blocks
        pairs[(asked.pairs == at[column]).any(axis=1), column] = lowest
    pairs[:, ~rows.any(axis=1)] = lowest


def _lowest(method: str) -> np.float32:
    """Below every score: the sum has no floor, and the product of shifted cosines is never < 0."""
    return np.float32(-np.inf if method == "3cosadd" else 0.0)


def _unit(rows: Matrix) -> Matrix:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    lengths[lengths == 0] = 1
    return np.asarray(rows / lengths[:, None], dtype=np.float32)


def _blocks(total: int) -> Iterator[slice]:
    for begin in range(0, total, _BLOCK_WORDS):
        yield slice(begin, min(begin + _BLOCK_WORDS, total))
