"""What a format reader yields: blocks of rows, and the problems met on the way."""

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError
from unslant.numerics.ragged import Ragged


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a file, and what can be done about it."""

    kind: str
    what: str
    remedy: str
    line: int | None = None
    unit: str = "line"

    def __str__(self) -> str:
        where = f"{self.unit} {self.line:,}: " if self.line is not None else ""
        return f"{where}{self.what}"

    def error(self, path: str) -> DamagedFileError:
        """The problem as an exception that names the file."""
        separator = " " if self.line is not None else ": "
        return DamagedFileError(f"{path}{separator}{self}. {self.remedy}")


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a file: packed words, their vectors, and the lines they stood on."""

    words: Ragged
    matrix: NDArray[np.float32]
    lines: NDArray[np.int64]
    problems: tuple[Problem, ...] = ()

    @classmethod
    def only_problems(cls, dim: int, *problems: Problem) -> "Block":
        """A block without rows."""
        empty = np.zeros((0, dim), np.float32)
        return cls(Ragged.of([]), empty, np.zeros(0, np.int64), problems)


@dataclass(frozen=True)
class Reading:
    """An opened file: how wide it is, its blocks, and facts about it that belong in a record.

    ``unit`` is what the numbers of its rows count: lines of a text, words of anything else.
    """

    format: str
    dim: int
    blocks: Generator[Block, None, None]
    declared_rows: int | None = None
    unit: str = "line"
    facts: dict[str, object] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
