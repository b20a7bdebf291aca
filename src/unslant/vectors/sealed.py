"""A matrix that is mapped from a file and checked before use, by hashes of blocks of its rows.

The disk is not trusted: a block of rows is hashed before its first use, and again if the file was
touched since. Arrays that were already returned cannot be checked again; for the consequences see
docs/design/vocabulary-and-cache.md.
"""

import hashlib
import os
import weakref
from copy import copy
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError
from unslant.core.files import is_in_cache
from unslant.core.types import Matrix
from unslant.numerics.chunks import ordered_parallel, row_blocks

_BLOCK_BYTES = 1 << 14
"""Checking 1,000 scattered words takes 10 ms; hashing a matrix of 400,000 × 300 takes 0.3 s."""
DIGEST_BYTES = 32


_BLOCKS_AT_ONCE = 256


def rows_in_block(row_bytes: int) -> int:
    """How many rows share one hash."""
    return max(1, _BLOCK_BYTES // row_bytes)


def blocks_of(rows: int, row_bytes: int) -> int:
    """How many hashes a matrix has."""
    return -(-rows // rows_in_block(row_bytes))


class BlockHashes:
    """The hashes of a matrix whose rows arrive in portions of any size."""

    def __init__(self, row_bytes: int) -> None:
        self._size = rows_in_block(row_bytes) * row_bytes
        self._done: list[bytes] = []
        self._open, self._filled = hashlib.sha256(), 0

    def update(self, data: memoryview) -> None:
        """Add the bytes of the next rows."""
        size = self._size
        begin = min(len(data), size - self._filled) if self._filled else 0
        end = begin + (len(data) - begin) // size * size
        self._add(data[:begin])
        self._done += [
            hashlib.sha256(data[start : start + size]).digest() for start in range(begin, end, size)
        ]
        self._add(data[end:])

    def _add(self, piece: memoryview) -> None:
        """Continue the block that is not yet complete."""
        self._open.update(piece)
        self._filled += len(piece)
        if self._filled == self._size:
            self._done.append(self._open.digest())
            self._open, self._filled = hashlib.sha256(), 0

    def table(self) -> NDArray[np.uint8]:
        """One hash per line; the last block may be shorter than the others."""
        digests = [*self._done, self._open.digest()] if self._filled else self._done
        return np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, DIGEST_BYTES)


class _OpenFile:
    """A file that stays open, so that it can be monitored even if it is renamed or removed."""

    def __init__(self, stream: BinaryIO) -> None:
        self._handle = os.dup(stream.fileno())
        weakref.finalize(self, os.close, self._handle)

    def seen(self) -> tuple[int, tuple[int, int]]:
        """Its size and times."""
        facts = os.fstat(self._handle)
        return facts.st_size, (facts.st_mtime_ns, facts.st_ctime_ns)


class SealedRows:
    """The rows of a float32 matrix in a file, with the hash of each block of them."""

    def __init__(
        self,
        path: Path,
        stream: BinaryIO,
        offset: int,
        shape: tuple[int, int],
        digests: NDArray[np.uint8],
    ) -> None:
        self._path, self._digests, self._file = path, digests, _OpenFile(stream)
        self._size, self._touched = self._file.seen()
        mapped = np.memmap(stream, "<f4", "r", offset=offset, shape=shape)
        self._rows: Matrix = mapped.view(np.ndarray)
        self._bytes = self._rows.reshape(-1).view(np.uint8).data
        self._step = rows_in_block(4 * shape[1])
        self._is_checked = np.zeros(len(digests), dtype=np.bool_)
        self.shape = shape

    def __len__(self) -> int:
        return self.shape[0]

    def head(self, count: int) -> "SealedRows":
        """The first rows, checked when they are used."""
        first = copy(self)
        first.shape, first._rows = (count, self.shape[1]), self._rows[:count]
        first._is_checked = self._is_checked.copy()
        return first

    def take(self, numbers: NDArray[np.int64]) -> Matrix:
        """A copy of some rows, all of them checked."""
        self._check(np.unique(numbers // self._step))
        rows: Matrix = self._rows[numbers]
        self.expect_unchanged()
        return rows

    def whole(self) -> Matrix:
        """All rows, mapped and checked."""
        self._check(np.arange(-(-len(self) // self._step)))
        return self._rows

    def expect_unchanged(self) -> None:
        """Raise an error if rows that were already used have changed."""
        self._check(np.zeros(0, np.int64))

    def _check(self, blocks: NDArray[np.int64]) -> None:
        size, touched = self._file.seen()
        if size != self._size:  # reading past the end of a mapped file would end the process
            raise self._damaged("its size changed while it was in use")
        if touched != self._touched:
            blocks = np.union1d(blocks, np.flatnonzero(self._is_checked))
            self._is_checked[:] = False
            self._touched = touched
        unchecked = blocks[~self._is_checked[blocks]]
        if len(unchecked):
            parts = (unchecked[part] for part in row_blocks(len(unchecked), 1, _BLOCKS_AT_ONCE))
            threads = 1 if len(unchecked) <= _BLOCKS_AT_ONCE else 0
            if not all(ordered_parallel(self._are_true, parts, threads)):
                raise self._damaged("its content does not match its checksums")
            self._is_checked[unchecked] = True

    def _are_true(self, blocks: NDArray[np.int64]) -> bool:
        size = 4 * self.shape[1] * self._step
        digests = [
            hashlib.sha256(self._bytes[size * block : size * (block + 1)]).digest()
            for block in blocks.tolist()
        ]
        return b"".join(digests) == self._digests[blocks].tobytes()

    def _damaged(self, reason: str) -> DamagedFileError:
        if is_in_cache(self._path):
            self._path.unlink(missing_ok=True)
            return DamagedFileError(
                f"The cached copy {self._path} is damaged: {reason}. It was removed; run the "
                f"command again to rebuild it from the source file."
            )
        return DamagedFileError(
            f"{self._path} is damaged: {reason}. Create or download the file again, then reload it."
        )
