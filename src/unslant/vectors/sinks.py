"""Where rows go while a file is read: into memory, or directly into a mapped file."""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Matrix
from unslant.numerics.chunks import BLOCK_BYTES, row_blocks
from unslant.vectors.formats import safetensors
from unslant.vectors.vocabulary import Vocabulary

_MOST_UNDER_WAY = 2


class Sink(Protocol):
    """A destination for rows while a file is read."""

    def append(self, block: Matrix) -> None:
        """Add rows."""

    def rows(self, numbers: NDArray[np.int64]) -> Matrix:
        """Rows that were added before."""

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Keep only these rows."""


class MemorySink:
    """Rows in one array that grows in place."""

    def __init__(self, dim: int, expected_rows: int | None = None) -> None:
        rows = expected_rows or max(1, BLOCK_BYTES // (4 * dim))
        self._matrix = np.empty((rows, dim), dtype=np.float32)
        self._used = 0

    def append(self, block: Matrix) -> None:
        """Add rows, enlarging the array by a sixteenth when it is full."""
        needed = self._used + len(block)
        if needed > len(self._matrix):
            room = max(needed, len(self._matrix) * 17 // 16)
            self._matrix.resize((room, self._matrix.shape[1]), refcheck=False)
        self._matrix[self._used : needed] = block
        self._used = needed

    def rows(self, numbers: NDArray[np.int64]) -> Matrix:
        """Rows that were added before."""
        return self._matrix[numbers]

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Keep only these rows."""
        for part in row_blocks(len(numbers), 4 * self._matrix.shape[1]):
            self._matrix[part] = self._matrix[numbers[part]]
        self._used = len(numbers)

    def matrix(self) -> Matrix:
        """All rows, without the spare capacity."""
        self._matrix.resize((self._used, self._matrix.shape[1]), refcheck=False)
        return self._matrix


class FileSink:
    """Rows that go directly into a file in Unslant's own format, on a separate thread.

    A block is written while the next one is read; only a few are in progress at once. The reader
    hashes it first: small hashes on another thread would wait for the interpreter's lock
    thousands of times.
    """

    def __init__(self, stream: BinaryIO, dim: int) -> None:
        self._writer = safetensors.Writer(stream, dim)
        self._pool = ThreadPoolExecutor(1)
        self._under_way: deque[Future[None]] = deque()

    def __enter__(self) -> "FileSink":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def append(self, block: Matrix) -> None:
        """Add rows."""
        self._under_way.append(self._pool.submit(self._writer.write, self._writer.counted(block)))
        self._wait(_MOST_UNDER_WAY)

    def rows(self, numbers: NDArray[np.int64]) -> Matrix:
        """Rows that were added before."""
        self._wait()
        return np.array(self._writer.mapped()[numbers])

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Keep only these rows."""
        self._wait()
        self._writer.keep(numbers)

    def finish(self, words: Vocabulary, facts: dict[str, Any]) -> None:
        """Add words and header."""
        self._wait()
        self._writer.finish(words, facts)

    def _wait(self, most: int = 0) -> None:
        """Wait until at most ``most`` blocks are in progress; raise the error of a failed one."""
        while len(self._under_way) > most:
            self._under_way.popleft().result()
