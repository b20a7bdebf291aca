"""Nearest neighbours by cosine, in tiles, without sorting everything.

The product of some queries with all words is fast; choosing the k largest of each row by
partitioning costs ten times as much. Instead a threshold that leaves a little more than k is
estimated from a sample of the words, one comparison finds what is above it, and only those few are
sorted. The products are computed in tiles that stay in the processor's cache until they are
compared, so the search takes little longer than the products alone. A row whose threshold was too
high is repeated with the correct one, so the result is exact.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Matrix
from unslant.numerics.chunks import one_blas_thread, ordered_parallel

# The largest few of a row in order, by one sort of plain integers.
#
# A float32 and its column fit into 64 bits. They are packed so that a larger value, and among
# equal values an earlier column, gives a smaller integer. One sort of integers then replaces two
# sorts of floats and is several times as fast.

Rows = NDArray[np.int64]
Keys = NDArray[np.uint64]

_SIGN = np.uint32(1 << 31)
_ALL_BUT_SIGN = np.uint32((1 << 31) - 1)
_LAST = np.iinfo(np.uint64).max  # after every key, as no column is this large
_HALF = np.uint64(32)


def first_of_each_row(
    rows: Rows, columns: Rows, values: Matrix, counts: Rows, k: int
) -> tuple[Rows, Matrix]:
    """Columns and values of the k largest of each row, largest first, equal ones by column.

    The three arrays name numbers of a matrix in any order; ``counts`` says how many of them lie in
    each row, which must be k or more.
    """
    # Sorting 16-bit integers stably is a radix sort, which does not compare.
    order = np.argsort(rows.astype(np.uint16) if len(counts) <= 1 << 16 else rows, kind="stable")
    ordered = rows[order]
    places = np.arange(len(order)) - (np.cumsum(counts) - counts)[ordered]
    table = np.full((len(counts), int(counts.max(initial=k))), _LAST, dtype=np.uint64)
    table[ordered, places] = _keys(columns, values)[order]
    table.sort(axis=1)
    return _columns_and_values(table[:, :k])


def _keys(columns: Rows, values: Matrix) -> Keys:
    bits = (values + np.float32(0)).view(np.uint32)  # −0 becomes 0, which it is equal to
    # Negative floats grow with their bits read as an integer away from 0, positive ones too: so
    # the former are in falling order already, and the latter are once they are turned round.
    falling = np.where(bits & _SIGN, bits, bits ^ _ALL_BUT_SIGN)
    return (falling.astype(np.uint64) << _HALF) | columns.astype(np.uint64)


def _columns_and_values(keys: Keys) -> tuple[Rows, Matrix]:
    falling = (keys >> _HALF).astype(np.uint32)
    bits = np.where(falling & _SIGN, falling, falling ^ _ALL_BUT_SIGN)
    return keys.astype(np.uint32).astype(np.int64), bits.view(np.float32)


_TILE = 2048


Lists = tuple[slice, Rows, Matrix]
"""The indices of some queries, the rows of their neighbours, nearest first, and the cosines."""
Progress = Callable[[int, int], None]
"""Called with the number of queries done and the total."""

_BLOCK_BYTES = 64 << 20
_MOST_QUERIES = 256
_SAMPLE = 2048


class CosineTiles:
    """The cosines of some rows with all rows, a tile of columns at a time, in the same memory."""

    def __init__(self, unit_rows: Matrix, asked: Rows) -> None:
        self._unit_rows, self._asked = unit_rows, asked
        # The last tile takes what is left over: a product with one column would be another
        # function of the library, which adds up in another order.
        starts = range(0, max(1, len(unit_rows) - _TILE + 1), _TILE)
        self._tiles = [
            slice(start, stop)
            for start, stop in zip(starts, [*starts[1:], len(unit_rows)], strict=True)
        ]
        largest = len(asked) * (len(unit_rows) - starts[-1])
        self._cosines = np.empty(largest, dtype=np.float32)
        self._is_near = np.zeros(largest + -largest % 8, dtype=bool)

    def above_thresholds(self, thresholds: Matrix) -> tuple[Rows, Rows, Matrix]:
        """Positions among the requested rows, columns and cosines of all that reach a threshold."""
        found = []
        for tile, cosines in self._products():
            is_near = self._is_near[: cosines.size].reshape(cosines.shape)
            np.greater_equal(cosines, thresholds[:, None], out=is_near)
            places = _true_places(self._is_near[: cosines.size + -cosines.size % 8])
            rows, columns = np.divmod(places, cosines.shape[1])
            found.append((rows, columns + tile.start, cosines.reshape(-1)[places]))
        rows, columns, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return rows, columns, values

    def whole(self, some: Rows) -> Matrix:
        """All cosines of some of the requested rows, equal to those in the tiles."""
        found = np.empty((len(some), len(self._unit_rows)), dtype=np.float32)
        for tile, cosines in self._products():
            found[:, tile] = cosines[some]
        return found

    def _products(self) -> Iterator[tuple[slice, Matrix]]:
        rows = self._unit_rows[self._asked]
        for tile in self._tiles:
            shape = len(rows), tile.stop - tile.start
            cosines = self._cosines[: shape[0] * shape[1]].reshape(shape)
            np.matmul(rows, self._unit_rows[tile].T, out=cosines)
            own = np.flatnonzero((self._asked >= tile.start) & (self._asked < tile.stop))
            cosines[own, self._asked[own] - tile.start] = -np.inf
            yield tile, cosines


def _true_places(flags: NDArray[np.bool_]) -> Rows:
    """The positions of set flags, searched eight at a time because nearly none is set."""
    some = np.flatnonzero(flags.view(np.uint64) != 0)
    inside = np.flatnonzero(flags.reshape(-1, 8)[some])
    return np.asarray(some[inside >> 3] * 8 + (inside & 7))


class Neighbours(Protocol):
    """The source of neighbour lists: :func:`top_cosines`, or its stored results."""

    def __call__(
        self,
        unit_rows: Matrix,
        queries: Rows,
        k: int,
        progress: Progress | None = None,
    ) -> Iterator[Lists]:
        """The result of :func:`top_cosines`, bit for bit."""


def top_cosines(
    unit_rows: Matrix,
    queries: Rows,
    k: int,
    progress: Progress | None = None,
) -> Iterator[Lists]:
    """For blocks of queries: their places, the rows of their k nearest others, and the cosines.

    ``unit_rows`` have length 1; a query is a row of it and is not its own neighbour. Nearest come
    first; equal cosines are ordered by row.
    """
    k = min(k, len(unit_rows) - 1)
    stride = max(1, len(unit_rows) // _SAMPLE)
    sample = np.ascontiguousarray(unit_rows[stride // 2 :: stride].T)

    def found(places: slice) -> Lists:
        asked = queries[places]
        tiles = CosineTiles(unit_rows, asked)
        thresholds = _thresholds(unit_rows[asked] @ sample, k / stride)
        rows, columns, cosines = tiles.above_thresholds(thresholds)
        counts = np.bincount(rows, minlength=len(asked))
        if len(short := np.flatnonzero(counts < k)):  # the sample overestimated the threshold
            thresholds[short] = np.partition(tiles.whole(short), -k, axis=1)[:, -k]
            rows, columns, cosines = tiles.above_thresholds(thresholds)
            counts = np.bincount(rows, minlength=len(asked))
        return places, *first_of_each_row(rows, columns, cosines, counts, k)

    with one_blas_thread():
        for lists in ordered_parallel(found, query_blocks(len(unit_rows), len(queries))):
            yield lists
            if progress:
                progress(lists[0].stop, len(queries))


def query_blocks(words: int, queries: int) -> Iterator[slice]:
    """Places of queries so few that their cosines with all words fit into a block."""
    step = max(1, min(_MOST_QUERIES, _BLOCK_BYTES // (4 * words)))
    for begin in range(0, queries, step):
        yield slice(begin, min(begin + step, queries))


def _thresholds(sample: Matrix, expected: float) -> Matrix:
    """For each row, a value that about 1.5 k scores reach, from an evenly spaced sample."""
    keep = min(sample.shape[1] - 1, int(np.ceil(expected + 4 * np.sqrt(expected) + 4)))
    return np.partition(sample, -keep - 1, axis=1)[:, -keep - 1]


# The exact best fourth word of many analogies a : b = c : ?, block by block.
#
# A benchmark asks tens of thousands of questions about a thousand words. The cosines of those few
# words with a block of the vocabulary are therefore computed once; a question is then the row of
# its pair (a, b) combined with the row of c, and only the maximum of the sum (or product) is
# needed.

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

    ``rows`` has the rows of a, b and c. ``same_word`` maps each row of the matrix to the first
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
    for column in columns.tolist():  # at most the words of the questions, over all blocks
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
