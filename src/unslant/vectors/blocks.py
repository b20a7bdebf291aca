"""The output of format readers: blocks of rows, and the problems found."""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError
from unslant.core.visible import legible
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


# Which rows are valid in every format: proper words with finite vectors.

UNDECODABLE = "not UTF-8"
LONGEST_WORD = 1 << 16
"""In bytes. Words are hashed a byte at a time, so one of three million would take half a minute."""

_CONTROL = re.compile(rb"[\x00\t\r\n]")
_COMPONENT = re.compile(rb"(?:\A| )[+-]?[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?(?: |\Z)")
_DAMAGED = "The file may be damaged; download it again."
_UNFIT = "its vector contains a value that is not a finite 32-bit float"
_NAMES = {b"\x00": "a NUL byte", b"\t": "a tab", b"\r": "a carriage return", b"\n": "a newline"}


def checked_block(
    words: Ragged,
    matrix: NDArray[np.float32],
    lines: NDArray[np.int64],
    *,
    problems: Sequence[Problem] = (),
    unit: str = "line",
) -> Block:
    """A block of the valid rows, with a problem for each of the others."""
    all_problems = [*problems, *word_problems(words, lines, unit=unit)]
    is_finite = np.isfinite(matrix)
    if (
        not is_finite.all()
    ):  # row by row only if needed, because it takes as long as everything else
        finite = is_finite.all(axis=1)
        all_problems += [
            Problem("not finite", _UNFIT, "Remove the word or correct its vector.", line, unit)
            for line in lines[~finite].tolist()
        ]
    if all_problems:
        all_problems.sort(key=lambda problem: problem.line or 0)
        keep = np.flatnonzero(~np.isin(lines, [problem.line or 0 for problem in all_problems]))
        words, matrix, lines = words.take(keep), matrix[keep], lines[keep]
    return Block(words, matrix, lines, tuple(all_problems))


def word_problems(words: Ragged, lines: NDArray[np.int64], *, unit: str = "line") -> list[Problem]:
    """The problem of each word: no or too many bytes, a control byte, not UTF-8, a number."""
    is_odd = (words.lengths == 0) | (words.lengths > LONGEST_WORD)
    suspects: set[int] = set(np.flatnonzero(is_odd).tolist())
    low = np.flatnonzero(words.blob <= ord(" "))
    suspects.update(np.unique(np.searchsorted(words.ends, low, side="right")).tolist())
    if not _is_utf8(words):
        suspects.update(range(len(words)))
    problems = []
    for row in sorted(suspects):
        fault = word_fault(words[row], in_text=unit == "line")
        if fault:
            problems.append(Problem(*fault, int(lines[row]), unit))
    return problems


def word_fault(word: bytes, *, in_text: bool = True) -> tuple[str, str, str] | None:
    """The kind of fault, the fault and its remedy; None for a valid word."""
    remedy = "Remove the line; fields are separated by single spaces." if in_text else _DAMAGED
    if not word:
        return "empty word", "there is no word before the numbers", remedy
    if len(word) > LONGEST_WORD:
        what = f'the word "{legible(word, 20)}…" has {len(word):,} bytes, expected at most '
        return "long word", f"{what}{LONGEST_WORD:,}", remedy
    if control := _CONTROL.search(word):
        return "control byte", f"the word contains {_NAMES[control[0]]}", remedy
    try:
        word.decode()
    except UnicodeDecodeError:
        return (
            UNDECODABLE,
            f'the word "{legible(word)}" is not valid UTF-8',
            "Convert the file to UTF-8, or skip such words with undecodable='drop' "
            "(--undecodable drop).",
        )
    if in_text and b" " in word and _COMPONENT.search(word):
        return (
            "width",
            f'the word "{legible(word)}" contains a number, so the line has one number too many',
            f"{_DAMAGED[:-1]}, or remove the line.",
        )
    return None


def _is_utf8(words: Ragged) -> bool:
    """Whether each word alone is UTF-8: the blob is, and no word begins inside a character."""
    try:
        words.blob.tobytes().decode()
    except UnicodeDecodeError:
        return False
    starts = words.starts[words.lengths > 0]
    return not ((words.blob[starts] & 0xC0) == 0x80).any()
