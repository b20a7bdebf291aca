"""Nearest neighbours by cosine, in tiles, without sorting everything.

The product of some queries with all words is fast; choosing the k largest of each row by
partitioning costs ten times as much. Instead a threshold that leaves a little more than k is
estimated from a sample of the words, one comparison finds what is above it, and only those few are
sorted. The products are computed in tiles that stay in the processor's cache until they are
compared, so the search takes little longer than the products alone. A row whose threshold was too
high is repeated with the correct one, so the result is exact.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Matrix
from unslant.numerics.chunks import one_blas_thread, ordered_parallel
from unslant.numerics.row_order import first_of_each_row

_TILE = 2048


Rows = NDArray[np.int64]
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

    def reaching(self, thresholds: Matrix) -> tuple[Rows, Rows, Matrix]:
        """Places among the rows asked for, columns and cosines of all that reach a threshold."""
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
        """All cosines of some of the rows asked for, the same as those in the tiles."""
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
        rows, columns, cosines = tiles.reaching(thresholds)
        counts = np.bincount(rows, minlength=len(asked))
        if len(short := np.flatnonzero(counts < k)):  # the sample overestimated the threshold
            thresholds[short] = np.partition(tiles.whole(short), -k, axis=1)[:, -k]
            rows, columns, cosines = tiles.reaching(thresholds)
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
