"""Nearest neighbours by cosine, in tiles, without sorting everything.

The product of some queries with all words is fast; choosing the k largest of each row by
partitioning costs ten times as much. Instead a threshold that leaves a little more than k is
estimated from a sample of the words, one comparison finds what is above it, and only those few are
sorted. The products are made in tiles that stay in the processor's cache until they are compared,
so the whole takes little longer than the products alone. A row whose threshold was too high is
done again with the right one, so the result is exact.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.numerics.row_order import first_of_each_row

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]
Lists = tuple[slice, Rows, Matrix]
"""The places of some queries, the rows of their neighbours, nearest first, and the cosines."""
Progress = Callable[[int, int], None]
"""Called with the queries done and the queries in all."""

_BLOCK_BYTES = 64 << 20
_MOST_QUERIES = 256
_TILE = 4096
_SAMPLE = 2048


class Neighbours(Protocol):
    """Where lists of neighbours come from: :func:`top_cosines`, or what it found before."""

    def __call__(
        self,
        unit_rows: Matrix,
        queries: Rows,
        k: int,
        progress: Progress | None = None,
    ) -> Iterator[Lists]:
        """What :func:`top_cosines` gives, to the last bit."""


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
    tiles = _Tiles(unit_rows)
    stride = max(1, len(unit_rows) // _SAMPLE)
    sample = np.ascontiguousarray(unit_rows[stride // 2 :: stride].T)
    for places in query_blocks(len(unit_rows), len(queries)):
        asked = queries[places]
        thresholds = _thresholds(unit_rows[asked] @ sample, k / stride)
        rows, columns, cosines = tiles.reaching(asked, thresholds)
        counts = np.bincount(rows, minlength=len(asked))
        if len(short := np.flatnonzero(counts < k)):  # the sample promised too much
            whole = tiles.whole(asked, short)
            thresholds[short] = np.partition(whole, -k, axis=1)[:, -k]
            rows, columns, cosines = tiles.reaching(asked, thresholds)
            counts = np.bincount(rows, minlength=len(asked))
        yield places, *first_of_each_row(rows, columns, cosines, counts, k)
        if progress:
            progress(places.stop, len(queries))


def query_blocks(words: int, queries: int) -> Iterator[slice]:
    """Places of queries so few that their cosines with all words fit into a block."""
    step = max(1, min(_MOST_QUERIES, _BLOCK_BYTES // (4 * words)))
    for begin in range(0, queries, step):
        yield slice(begin, min(begin + step, queries))


class _Tiles:
    """The cosines of some rows with all rows, a tile of columns at a time, in the same memory."""

    def __init__(self, unit_rows: Matrix) -> None:
        self._unit_rows = unit_rows
        # The last tile takes what is left over: a product with one column would be another
        # function of the library, which adds up in another order.
        starts = range(0, max(1, len(unit_rows) - _TILE + 1), _TILE)
        self._tiles = [
            slice(start, stop)
            for start, stop in zip(starts, [*starts[1:], len(unit_rows)], strict=True)
        ]
        most = _MOST_QUERIES * max(tile.stop - tile.start for tile in self._tiles)
        self._cosines = np.empty(most, dtype=np.float32)
        self._is_near = np.zeros(most + 8, dtype=bool)

    def reaching(self, asked: Rows, thresholds: Matrix) -> tuple[Rows, Rows, Matrix]:
        """Places among the rows asked for, columns and cosines of all that reach a threshold."""
        found = []
        for tile, cosines in self._products(asked):
            is_near = self._is_near[: cosines.size]
            np.greater_equal(cosines, thresholds[:, None], out=is_near.reshape(cosines.shape))
            places = self._true_places(cosines.size)
            rows, columns = np.divmod(places, cosines.shape[1])
            found.append((rows, columns + tile.start, cosines.reshape(-1)[places]))
        rows, columns, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return rows, columns, values

    def whole(self, asked: Rows, some: Rows) -> Matrix:
        """All cosines of some of the rows asked for, the same as those in the tiles."""
        found = np.empty((len(some), len(self._unit_rows)), dtype=np.float32)
        for tile, cosines in self._products(asked):
            found[:, tile] = cosines[some]
        return found

    def _products(self, asked: Rows) -> Iterator[tuple[slice, Matrix]]:
        rows = self._unit_rows[asked]
        for tile in self._tiles:
            shape = len(asked), tile.stop - tile.start
            cosines = self._cosines[: shape[0] * shape[1]].reshape(shape)
            np.matmul(rows, self._unit_rows[tile].T, out=cosines)
            own = np.flatnonzero((asked >= tile.start) & (asked < tile.stop))
            cosines[own, asked[own] - tile.start] = -np.inf
            yield tile, cosines

    def _true_places(self, size: int) -> Rows:
        """Where the first ``size`` flags are set, eight at a time, as nearly none of them is."""
        self._is_near[size : size + 8] = False
        eights = self._is_near[: size + -size % 8]
        some = np.flatnonzero(eights.view(np.uint64) != 0)
        inside = np.flatnonzero(eights.reshape(-1, 8)[some])
        return np.asarray(some[inside >> 3] * 8 + (inside & 7))


def _thresholds(sample: Matrix, expected: float) -> Matrix:
    """For each row, a value that about 1.5 k scores reach, from an evenly spaced sample."""
    keep = min(sample.shape[1] - 1, int(np.ceil(expected + 4 * np.sqrt(expected) + 4)))
    return np.partition(sample, -keep - 1, axis=1)[:, -keep - 1]
