"""Many byte strings as one blob with an array of end positions.

A vocabulary of a million words as Python strings costs 100 MB and a second; a blob
can be mapped from a file immediately.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_OFFSET = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)


@dataclass(frozen=True, eq=False)
class Ragged:
    """Concatenated byte strings; string ``i`` is ``blob[ends[i - 1]:ends[i]]``."""

    blob: NDArray[np.uint8]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, strings: Sequence[bytes]) -> "Ragged":
        """Pack a sequence of byte strings."""
        lengths = np.fromiter(map(len, strings), dtype=np.int64, count=len(strings))
        return cls(np.frombuffer(b"".join(strings), dtype=np.uint8), np.cumsum(lengths))

    @classmethod
    def joined(cls, parts: Sequence["Ragged"]) -> "Ragged":
        """Several packs as one."""
        if not parts:
            return cls.of([])
        shifts = np.cumsum([0] + [len(part.blob) for part in parts[:-1]])
        return cls(
            np.concatenate([part.blob for part in parts]),
            np.concatenate([part.ends + shift for part, shift in zip(parts, shifts, strict=True)]),
        )

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> bytes:
        start = int(self.ends[row - 1]) if row > 0 else 0
        return self.blob[start : int(self.ends[row])].tobytes()

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each string begins."""
        return np.concatenate([np.zeros(1, np.int64), self.ends[:-1]]) if len(self) else self.ends

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many bytes each string has."""
        return np.diff(self.ends, prepend=0)

    def take(self, rows: NDArray[np.int64]) -> "Ragged":
        """The strings of the given rows, in that order."""
        starts = np.where(rows > 0, self.ends[rows - 1], 0)
        return sliced(self.blob, starts, self.ends[rows] - starts)

    def equals(self, other: "Ragged") -> NDArray[np.bool_]:
        """For each position, whether both packs contain the same string."""
        same = np.asarray(self.lengths == other.lengths)
        places = np.flatnonzero(same)
        mine, theirs = self.take(places), other.take(places)
        differences = np.concatenate([[0], np.cumsum(mine.blob != theirs.blob)])
        same[places] = differences[mine.ends] == differences[mine.starts]
        return same

    def hashes(self) -> NDArray[np.uint64]:
        """The FNV-1a hash of every string, one byte position of all strings at a time."""
        starts, lengths = self.starts, self.lengths
        order = np.argsort(-lengths, kind="stable")
        starts, lengths = starts[order], lengths[order]
        state = np.full(len(self), _OFFSET)
        alive = len(self)
        for position in range(int(lengths[0]) if alive else 0):
            alive = int(np.searchsorted(-lengths, -position, side="left"))
            column = self.blob[starts[:alive] + position]
            state[:alive] = (state[:alive] ^ column) * _PRIME
        result = np.empty_like(state)
        result[order] = state
        return result


def sliced(
    buffer: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> Ragged:
    """The pieces of a buffer that begin at ``starts``, packed."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    source = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return Ragged(buffer[source], ends)
