"""Cosines of some rows with all rows, in tiles small enough to stay in the processor's cache."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]

_TILE = 2048


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
