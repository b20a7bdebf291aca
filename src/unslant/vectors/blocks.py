"""The output of format readers: blocks of rows, and the problems found."""

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError
from unslant.numerics.decimals import Ragged


@dataclass(frozen=True)
class Problem:
    """One problem in a file, and how to fix it."""

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
    """Consecutive rows of a file: packed words, their vectors, and their line numbers."""

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
    """An opened file: its dimension, its blocks, and facts about it for the record.

    ``unit`` is what row numbers count: lines in a text file, words in any other format.
    """

    format: str
    dim: int
    blocks: Generator[Block, None, None]
    declared_rows: int | None = None
    unit: str = "line"
    facts: dict[str, object] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
