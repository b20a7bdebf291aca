"""Put the blocks of a file together, in memory or in a file, and settle repeated words."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnknownNameError
from unslant.numerics.ragged import Ragged
from unslant.vectors.blocks import Problem, Reading
from unslant.vectors.formats import safetensors
from unslant.vectors.formats.wordrules import UNDECODABLE
from unslant.vectors.vocabulary import Vocabulary

Matrix = NDArray[np.float32]
Report = Callable[[Problem], None]


@dataclass(frozen=True, kw_only=True)
class ReadPolicy:
    """What to do with words that stand twice and words that are not UTF-8."""

    duplicates: str = "fail"
    undecodable: str = "fail"

    def __post_init__(self) -> None:
        if self.duplicates not in ("fail", "first"):
            raise UnknownNameError("policy for duplicates", self.duplicates, ("fail", "first"))
        if self.undecodable not in ("fail", "drop"):
            raise UnknownNameError("policy for undecodable", self.undecodable, ("fail", "drop"))


class Sink(Protocol):
    """A place where rows go while a file is read."""

    def append(self, block: Matrix) -> None:
        """Add rows."""

    def rows(self, numbers: NDArray[np.int64]) -> Matrix:
        """Rows that were added before."""

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Forget all but these rows."""


class MemorySink:
    """Rows in one array that grows in place."""

    def __init__(self, dim: int, expected_rows: int | None = None) -> None:
        self._matrix = np.empty((expected_rows or 1024, dim), dtype=np.float32)
        self._used = 0

    def append(self, block: Matrix) -> None:
        """Add rows, enlarging the array by a quarter when it is full."""
        needed = self._used + len(block)
        if needed > len(self._matrix):
            room = max(needed, len(self._matrix) * 5 // 4)
            self._matrix.resize((room, self._matrix.shape[1]), refcheck=False)
        self._matrix[self._used : needed] = block
        self._used = needed

    def rows(self, numbers: NDArray[np.int64]) -> Matrix:
        """Rows that were added before."""
        return self._matrix[numbers]

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Forget all but these rows."""
        self._matrix[: len(numbers)] = self._matrix[numbers]
        self._used = len(numbers)

    def matrix(self) -> Matrix:
        """All rows, without the spare room."""
        self._matrix.resize((self._used, self._matrix.shape[1]), refcheck=False)
        return self._matrix


class FileSink:
    """Rows that go straight into a file of Unslant's own format."""

    def __init__(self, stream: BinaryIO, dim: int) -> None:
        self._writer = safetensors.Writer(stream, dim)

    def append(self, block: Matrix) -> None:
        """Add rows."""
        self._writer.append(block)

    def rows(self, numbers: NDArray[np.int64]) -> Matrix:
        """Rows that were added before."""
        return np.array(self._writer.mapped()[numbers])

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Forget all but these rows."""
        self._writer.keep(numbers)

    def finish(self, words: Vocabulary, facts: dict[str, Any]) -> None:
        """Add words and header."""
        self._writer.finish(words, facts)


@dataclass(frozen=True)
class Assembled:
    """The words of a file, and what there is to say about how it was read."""

    words: Vocabulary
    facts: dict[str, Any] = field(default_factory=dict)


def assemble(
    reading: Reading,
    sink: Sink,
    policy: ReadPolicy,
    report: Report,
    most_rows: int | None = None,
) -> Assembled:
    """Move all blocks into the sink; each problem goes to ``report``, which may raise."""
    parts: list[Ragged] = []
    lines: list[NDArray[np.int64]] = []
    rows, dropped, ended_early = 0, 0, False
    for block in reading.blocks:
        for problem in block.problems:
            if problem.kind == UNDECODABLE and policy.undecodable == "drop":
                dropped += 1
            else:
                report(problem)
        words, matrix, numbers = block.words, block.matrix, block.lines
        if most_rows is not None and rows + len(words) >= most_rows:
            chosen = np.arange(most_rows - rows)
            words, matrix, numbers = words.take(chosen), matrix[chosen], numbers[chosen]
            ended_early = True
        sink.append(matrix)
        parts.append(words)
        lines.append(numbers)
        rows += len(words)
        if ended_early:
            break
    _check_count(reading, rows + dropped, ended_early, report)
    vocabulary = Vocabulary(Ragged.joined(parts))
    line_of = np.concatenate(lines) if lines else np.zeros(0, np.int64)
    vocabulary, repeated = _without_repetitions(vocabulary, sink, line_of, policy, report)
    facts: dict[str, Any] = {
        **reading.facts,
        "format": reading.format,
        "notes": list(reading.notes),
    }
    if repeated:
        facts["repeated_words"] = repeated
        facts["notes"].append(f"{repeated:,} repeated words, the first of each kept")
    if dropped:
        facts["undecodable_words"] = dropped
        facts["notes"].append(f"{dropped:,} words that are not UTF-8 left out")
    with_space = int((np.diff(_spaces_before(vocabulary), prepend=0) > 0).sum())
    if with_space and reading.format != "npz":
        facts["words_with_spaces"] = with_space
        facts["notes"].append(f"{with_space:,} words contain spaces")
    return Assembled(vocabulary, facts)


def _spaces_before(words: Vocabulary) -> NDArray[np.int64]:
    positions = np.flatnonzero(words.packed.blob == ord(" "))
    return np.searchsorted(positions, words.packed.ends, side="left")


def _check_count(reading: Reading, rows: int, ended_early: bool, report: Report) -> None:
    if not rows:
        report(Problem("empty", "there is not one word in the file", "Fetch the file again."))
    if reading.declared_rows is not None and not ended_early and rows != reading.declared_rows:
        report(
            Problem(
                "count",
                f"the header says {reading.declared_rows:,} words, the file has {rows:,}",
                "The file may be cut; fetch it again, or correct the header.",
                1,
            )
        )


def _without_repetitions(
    words: Vocabulary,
    sink: Sink,
    line_of: NDArray[np.int64],
    policy: ReadPolicy,
    report: Report,
) -> tuple[Vocabulary, int]:
    first = words.first_occurrences()
    repeated = np.flatnonzero(first != np.arange(len(words)))
    if not len(repeated):
        return words, 0
    if policy.duplicates == "fail":
        differs = (sink.rows(repeated) != sink.rows(first[repeated])).any(axis=1)
        for row in repeated[differs].tolist():
            report(
                Problem(
                    "duplicate",
                    f'the word "{words[row]}" stood before, on line {line_of[first[row]]:,}, with '
                    f"another vector",
                    "Keep the first of each with --duplicates first.",
                    int(line_of[row]),
                )
            )
    kept = np.flatnonzero(first == np.arange(len(words)))
    sink.keep(kept)
    return words.take(kept), len(repeated)
