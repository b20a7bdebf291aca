"""Nearest neighbours by cosine, in blocks, without sorting everything.

The product of a block of queries with all words is fast; choosing the k largest of each row by
partitioning costs ten times as much. Instead a threshold that leaves a little more than k is
estimated from a sample of each row, one comparison finds what is above it, and only those few are
sorted. A row whose threshold was too high is done again with a lower one, so the result is exact.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]
Lists = tuple[slice, Rows, Matrix]
"""The places of some queries, the rows of their neighbours, nearest first, and the cosines."""
Progress = Callable[[int, int], None]
"""Called with the queries done and the queries in all."""

_BLOCK_BYTES = 64 << 20
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
    for places in query_blocks(len(unit_rows), len(queries)):
        chosen = queries[places]
        cosines = unit_rows[chosen] @ unit_rows.T
        cosines[np.arange(len(chosen)), chosen] = -np.inf
        rows, values = _largest(cosines, k)
        yield places, rows, values
        if progress:
            progress(places.stop, len(queries))


def query_blocks(words: int, queries: int) -> Iterator[slice]:
    """Places of queries so few that their cosines with all words fit into a block."""
    step = max(1, _BLOCK_BYTES // (4 * words))
    for begin in range(0, queries, step):
        yield slice(begin, min(begin + step, queries))


def _largest(scores: Matrix, k: int) -> tuple[Rows, Matrix]:
    """The k largest of each row, largest first."""
    count, width = scores.shape
    rows = np.empty((count, k), dtype=np.int64)
    values = np.empty((count, k), dtype=np.float32)
    thresholds = _thresholds(scores, k)
    above = np.flatnonzero(scores >= thresholds[:, None])
    ends = np.searchsorted(above, np.arange(1, count + 1) * width)
    start = 0
    flat = scores.reshape(-1)
    for row, end in enumerate(ends.tolist()):
        found = above[start:end]
        start = end
        if len(found) < k:  # the sample promised too much
            found = np.argpartition(-scores[row], k - 1)[:k] + row * width
            found = np.flatnonzero(scores[row] >= flat[found].min()) + row * width
        order = np.lexsort((found, -flat[found]))[:k]
        rows[row] = found[order] - row * width
        values[row] = flat[found[order]]
    return rows, values


def _thresholds(scores: Matrix, k: int) -> Matrix:
    """For each row, a value that about 1.5 k scores reach, from an evenly spaced sample."""
    width = scores.shape[1]
    stride = max(1, width // _SAMPLE)
    sample = scores[:, stride // 2 :: stride]
    expected = k / stride
    keep = min(sample.shape[1] - 1, int(np.ceil(expected + 4 * np.sqrt(expected) + 4)))
    return np.partition(sample, -keep - 1, axis=1)[:, -keep - 1]
