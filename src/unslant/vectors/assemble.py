"""Combine the blocks of a file, and handle repeated, skipped or miscounted words."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnknownNameError
from unslant.core.types import Matrix
from unslant.core.visible import legible
from unslant.numerics.chunks import BLOCK_BYTES, row_blocks
from unslant.numerics.decimals import Ragged
from unslant.vectors.blocks import UNDECODABLE, Problem, Reading
from unslant.vectors.formats import safetensors
from unslant.vectors.formats.layout import BOM
from unslant.vectors.vocabulary import Vocabulary

# Where rows go while a file is read: into memory, or directly into a mapped file.

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


_COMPARED_ROWS = 4096
Report = Callable[[Problem], None]

_EXTREME = 1e6


@dataclass(frozen=True, kw_only=True)
class ReadPolicy:
    """What to do with duplicate words and words that are not valid UTF-8."""

    duplicates: str = "fail"
    undecodable: str = "fail"

    def __post_init__(self) -> None:
        if self.duplicates not in ("fail", "first"):
            raise UnknownNameError("policy for duplicates", self.duplicates, ("fail", "first"))
        if self.undecodable not in ("fail", "drop"):
            raise UnknownNameError("policy for undecodable", self.undecodable, ("fail", "drop"))


@dataclass(frozen=True)
class Assembled:
    """The words of a file, and notes about how it was read."""

    words: Vocabulary
    facts: dict[str, Any] = field(default_factory=dict)


def assemble(
    reading: Reading,
    sink: Sink,
    policy: ReadPolicy,
    report: Report,
    most_rows: int | None = None,
) -> Assembled:
    """Move all blocks into the sink; each problem goes to ``report``, which may raise.

    With ``most_rows``, blocks are read until they contain that many distinct words.
    """
    parts: list[Ragged] = []
    lines: list[NDArray[np.int64]] = []
    rows, faulty, dropped, extreme, ended_early = 0, 0, 0, 0, False
    # Closed here, not by the garbage collector, which may run on a thread that this waits for.
    with closing(reading.blocks) as blocks:
        for block in blocks:
            faulty += len({problem.line for problem in block.problems})
            for problem in block.problems:
                if problem.kind == UNDECODABLE and policy.undecodable == "drop":
                    dropped += 1
                else:
                    report(problem)
            extreme += count_extreme(block.matrix)
            sink.append(block.matrix)
            parts.append(block.words)
            lines.append(block.lines)
            rows += len(block.words)
            if most_rows is not None and rows >= most_rows:
                parts = [Ragged.joined(parts)]
                so_far = Vocabulary(parts[0]).first_occurrences()
                if np.count_nonzero(so_far == np.arange(rows)) >= most_rows:
                    ended_early = True
                    break
    _check_count(reading, rows, rows + faulty, ended_early, report)
    vocabulary = Vocabulary(Ragged.joined(parts))
    line_of = np.concatenate(lines) if lines else np.zeros(0, np.int64)
    first = vocabulary.first_occurrences()
    if policy.duplicates == "fail":
        _report_conflicts(vocabulary, first, sink, line_of, reading.unit, report)
    kept = np.flatnonzero(first == np.arange(rows))
    repeated = rows - len(kept)
    if repeated or ended_early:
        kept = kept[:most_rows]
        sink.keep(kept)
        vocabulary = vocabulary.take(kept)
    oddities = {
        "repeated_words": (repeated, "repeated words, of which the first was kept"),
        "undecodable_words": (dropped, "words skipped because they are not valid UTF-8"),
        "extreme_words": (
            extreme,
            "words with a number beyond a million, which may indicate damage",
        ),
        **odd_words(vocabulary.packed, is_text=reading.unit == "line"),
    }
    counts = {name: count for name, (count, _) in oddities.items() if count}
    notes = [f"{what}: {count:,}" for count, what in oddities.values() if count]
    facts: dict[str, Any] = {"format": reading.format, "notes": [*reading.notes, *notes]}
    if ended_early:
        facts["limit"] = most_rows
    return Assembled(vocabulary, {**reading.facts, **facts, **counts})


def _check_count(reading: Reading, rows: int, seen: int, ended_early: bool, report: Report) -> None:
    """Compare the number of rows, including faulty ones, with the header."""
    if not rows:
        report(Problem("empty", "the file contains no words", "Download the file again."))
    if reading.declared_rows is not None and not ended_early and seen != reading.declared_rows:
        report(
            Problem(
                "count",
                f"the header says {reading.declared_rows:,} words, the file has {seen:,}",
                "The file may be truncated; download it again, or correct the header.",
                1,
            )
        )


def _report_conflicts(
    words: Vocabulary,
    first: NDArray[np.int64],
    sink: Sink,
    line_of: NDArray[np.int64],
    unit: str,
    report: Report,
) -> None:
    """Report each word that is repeated with a different vector."""
    repeated = np.flatnonzero(first != np.arange(len(words)))
    for part in row_blocks(len(repeated), 1, _COMPARED_ROWS):
        again = repeated[part]
        differs = (sink.rows(again) != sink.rows(first[again])).any(axis=1)
        for row in again[differs].tolist():
            report(
                Problem(
                    "duplicate",
                    f'"{legible(words.packed[row])}" already occurred in {unit} '
                    f"{line_of[first[row]]:,} with a different vector",
                    'Use duplicates="first" (--duplicates first) to keep the first of each.',
                    int(line_of[row]),
                    unit,
                )
            )


def count_extreme(matrix: NDArray[np.float32]) -> int:
    """How many rows contain a finite number too large for any trained vector."""
    if not len(matrix) or max(matrix.max(), -matrix.min()) <= _EXTREME:
        return 0
    return int((np.abs(matrix) > _EXTREME).any(axis=1).sum())


def odd_words(words: Ragged, *, is_text: bool) -> dict[str, tuple[int, str]]:
    """How many words have unusual content, and of what kind."""
    controls = np.unique(_row_of(np.flatnonzero(words.blob < 32), words))
    oddities = {
        "words_with_marks": (len(_rows_with(BOM, words)), "words with a byte order mark"),
        "words_with_controls": (len(controls), "words with control characters"),
    }
    if is_text:  # if spaces separate fields, they may also be damage
        outer = np.flatnonzero(
            (words.blob[words.starts] == 32) | (words.blob[words.ends - 1] == 32)
        )
        stray = len(np.union1d(outer, _rows_with(b"  ", words)))
        oddities |= {
            "words_with_spaces": (len(_rows_with(b" ", words)), "words with spaces"),
            "words_with_stray_spaces": (
                stray,
                "words with an extra space at the start, inside or at the end",
            ),
        }
    return oddities


def _rows_with(piece: bytes, words: Ragged) -> NDArray[np.int64]:
    """The rows of the words that contain some bytes."""
    is_there = words.blob[: max(0, len(words.blob) - len(piece) + 1)] == piece[0]
    for offset, byte in enumerate(piece[1:], start=1):
        is_there &= words.blob[offset : offset + len(is_there)] == byte
    places = np.flatnonzero(is_there)
    first, last = _row_of(places, words), _row_of(places + len(piece) - 1, words)
    return np.unique(first[first == last])  # not where one word ends and the next begins


def _row_of(places: NDArray[np.int64], words: Ragged) -> NDArray[np.int64]:
    """The row of the word that each position in the blob belongs to."""
    return np.searchsorted(words.ends, places, side="right")
