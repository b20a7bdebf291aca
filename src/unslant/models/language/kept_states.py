"""What blocks of a network gave for texts, kept in bounded memory for models that share it."""

import threading
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

MOST_BYTES = 1 << 30
"""States of 700,000 pieces in a model of width 384, each after one block."""
_SPARED = 64

Steps = tuple[Hashable, ...]
"""What acted before a block gave its result, as keys of content, in the order of the pass."""


@dataclass(frozen=True)
class StateKey:
    """A block's own result, before erasers at its output act, for the texts of one batch."""

    texts: bytes
    block: int
    steps: Steps
    pieces: bytes = b""
    """The chosen pieces, if the block was computed for these alone."""


@dataclass
class _Entry:
    value: Any
    size: int
    used: int


class KeptStates:
    """States by what they are computed from; ``most_bytes`` is never exceeded.

    A walk through many settings comes back to the same texts again and again, so throwing out what
    was used longest ago would throw out what is needed next. What goes first belongs to another
    branch of the walk, then what nobody has asked for in several rounds. If that makes no room,
    the new state is not kept.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, blocks: frozenset[int] | None = None) -> None:
        self.most_bytes = most_bytes
        self._blocks = blocks
        self._entries: dict[StateKey, _Entry] = {}
        self._changing = threading.Lock()
        self._time = 0
        self.bytes = 0
        self.hits = self.misses = 0

    def __len__(self) -> int:
        return len(self._entries)

    def keeps(self, block: int) -> bool:
        """Whether results of a block are kept at all."""
        return self._blocks is None or block in self._blocks

    def keep_also(self, blocks: frozenset[int]) -> None:
        """Keep the results of more blocks from now on."""
        if self._blocks is not None:
            self._blocks |= blocks

    def get(self, key: StateKey) -> Any:
        """A kept result, or None."""
        with self._changing:
            self._time += 1
            entry = self._entries.get(key)
            if entry is None:
                return None
            entry.used = self._time
            return entry.value

    def put(self, key: StateKey, value: Any, branch: dict[int, Steps]) -> None:
        """Keep a result if there is room; ``branch`` has the steps before each block."""
        if not self.keeps(key.block):
            return
        size = _bytes(value)
        with self._changing:
            if key in self._entries or size > self.most_bytes:
                return
            if self.bytes + size > self.most_bytes:
                self._make_room(size, branch)
            if self.bytes + size <= self.most_bytes:
                self._entries[key] = _Entry(value, size, self._time)
                self.bytes += size

    def clear(self) -> None:
        """Forget everything."""
        with self._changing:
            self._entries.clear()
            self.bytes = 0

    def _make_room(self, size: int, branch: dict[int, Steps]) -> None:
        old = self._time - 4 * len(self._entries) - _SPARED
        gone = [
            key
            for key, entry in self._entries.items()
            if key.steps != branch.get(key.block) or entry.used < old
        ]
        for key in sorted(gone, key=lambda each: self._entries[each].used):
            if self.bytes + size <= self.most_bytes:
                return
            self.bytes -= self._entries.pop(key).size


def _bytes(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(_bytes(item) for item in value)
    return int(value.nbytes) if hasattr(value, "nbytes") else 0
