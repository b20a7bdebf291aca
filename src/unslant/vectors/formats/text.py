"""GloVe, word2vec and fastText text: a word and its numbers on each line.

The three differ only in the first line (a header or none) and in the bytes that end a line. A
word may contain spaces (GloVe 840B has ". . ."), so the vector is the last ``dim`` fields and the
word is everything before them. Lines are split at newline bytes and fields at single spaces,
never by Unicode rules: U+0085 and U+00A0 are words in real files.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from unslant.core.compressed import read_up_to
from unslant.core.files import Progress
from unslant.core.visible import legible
from unslant.numerics.chunks import ordered_parallel, reuse_freed_memory
from unslant.numerics.decimals import PADDING, decimal, plain_decimals, sliced
from unslant.vectors.blocks import Block, Problem, Reading, checked_block
from unslant.vectors.formats.layout import HEAD_BYTES, Layout, layout_of

_CHUNK_BYTES = 1 << 20
_PAD = b"\n" * PADDING
_CUT = "The file may be truncated or damaged; download it again, or run unslant files doctor on it."
_OVERFLOW = 2.0**128 - 2.0**103  # from here on, a double rounds to an infinite 32-bit float
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)\Z", re.IGNORECASE)


@dataclass(frozen=True)
class _Chunk:
    """Some complete lines, after the padding that the number parser needs."""

    data: bytes
    first_line: int


def read(
    stream: BinaryIO, path: str, size: int | None, progress: Progress | None = None
) -> Reading:
    """Open a text file of vectors; ``size`` is None if the stream is compressed."""
    head = bytes(read_up_to(stream, HEAD_BYTES))
    layout = layout_of(head, path, size)
    notes = ["begins with a byte order mark"] if layout.has_bom else []
    if b"\r" in layout.ending:
        notes.append("lines end with CR LF")
    facts: dict[str, object] = {"dim": layout.dim}
    chunks = _chunks(stream, head[layout.header_bytes :], layout, notes, progress, size or 0)
    reuse_freed_memory()
    return Reading(
        format="word2vec text" if layout.declared_rows is not None else "GloVe text",
        dim=layout.dim,
        blocks=ordered_parallel(lambda chunk: _parsed(chunk, layout), chunks),
        declared_rows=layout.declared_rows,
        facts=facts,
        notes=notes,
    )


def _chunks(
    stream: BinaryIO,
    rest: bytes,
    layout: Layout,
    notes: list[str],
    progress: Progress | None,
    size: int,
) -> Iterator[_Chunk]:
    """Complete lines, about a mebibyte at a time."""
    line, done = layout.first_line, layout.header_bytes
    while True:
        cut = rest.rfind(b"\n", 0, max(_CHUNK_BYTES, layout.longest_line)) + 1
        wants_more = not cut or len(rest) < _CHUNK_BYTES
        if wants_more and len(rest) <= layout.longest_line and (more := stream.read(_CHUNK_BYTES)):
            rest += more
            continue
        if not cut:
            if len(rest) > layout.longest_line:
                yield _Chunk(rest, line)  # the parser names the line that is too long
            elif rest:
                notes.append("no newline at the end: the last number may be truncated")
                yield _Chunk(_with_ending(rest, layout.ending), line)
            return
        chunk, rest = rest[:cut], rest[cut:]
        yield _Chunk(chunk, line)
        line += chunk.count(b"\n")
        done += len(chunk)
        if progress:
            progress("Reading", done, size)


def _with_ending(line: bytes, ending: bytes) -> bytes:
    """The last line, completed with the usual ending."""
    there = max(n for n in range(len(ending)) if line.endswith(ending[:n]))
    return line + ending[there:]


def _parsed(chunk: _Chunk, layout: Layout) -> Block:
    """The rows of a chunk: regular lines all together, the others one by one."""
    if len(chunk.data) > layout.longest_line and b"\n" not in chunk.data:
        return Block.only_problems(layout.dim, _too_long(chunk.first_line, layout))
    buffer = np.frombuffer(_PAD + chunk.data, dtype=np.uint8)
    # Bytes below "/" except "-": separators and points in numbers, and some bytes in words.
    marks = np.flatnonzero((buffer < ord("/")) & (buffer != ord("-")))[PADDING:]
    kinds = buffer[marks]
    newlines = np.flatnonzero(kinds == ord("\n"))
    line_ends = marks[newlines]
    line_starts = np.concatenate([[PADDING], line_ends[:-1] + 1])

    is_regular, tails = _regular_lines(marks, kinds, newlines, layout)
    is_long = line_ends - line_starts >= layout.longest_line
    matrix = np.empty((len(line_ends), layout.dim), dtype=np.float32)
    word_ends = np.empty(len(line_ends), dtype=np.int64)
    good = is_regular & ~is_long
    problems: list[Problem] = []

    rows = np.flatnonzero(is_regular)
    if len(rows):
        values, odd = _numbers(buffer, tails, layout.dim)
        for row, column, start, end in odd:
            found = decimal(bytes(buffer[start:end]))
            if found is None or abs(found) >= _OVERFLOW:
                good[rows[row]] = False  # the line is read again to report the problem
            else:
                values[row, column] = found
        matrix[rows] = values
        word_ends[rows] = tails[:, 0]

    for row in np.flatnonzero(~good).tolist():
        line = bytes(buffer[line_starts[row] : line_ends[row] + 1])
        vector = _one_line(line, chunk.first_line + row, layout)
        if isinstance(vector, Problem):
            problems.append(vector)
        else:
            matrix[row], length = vector
            word_ends[row], good[row] = line_starts[row] + length, True

    numbers = np.flatnonzero(good)
    words = sliced(buffer, line_starts[numbers], word_ends[numbers] - line_starts[numbers])
    if problems:
        matrix = matrix[numbers]
    return checked_block(words, matrix, numbers + chunk.first_line, problems=problems)


def _regular_lines(
    marks: NDArray[np.int64], kinds: NDArray[np.uint8], newlines: NDArray[np.int64], layout: Layout
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which lines end in ``dim`` fields with a point each, and the marks of those fields."""
    pattern = np.frombuffer(b" ." * layout.dim + layout.ending, dtype=np.uint8)
    counts = np.diff(newlines, prepend=-1)
    if (counts == len(pattern)).all():
        is_regular = np.ones(len(newlines), dtype=np.bool_)
        tails, tail_kinds = marks.reshape(-1, len(pattern)), kinds.reshape(-1, len(pattern))
    else:
        is_regular = counts >= len(pattern)
        places = newlines[is_regular][:, None] - np.arange(len(pattern) - 1, -1, -1)
        tails, tail_kinds = marks[places], kinds[places]
    fits = (tail_kinds == pattern).all(axis=1)
    fits &= tails[:, -1] - tails[:, 2 * layout.dim] == len(layout.ending) - 1
    if not fits.all():
        is_regular[np.flatnonzero(is_regular)[~fits]] = False
        tails = tails[fits]
    return is_regular, tails


def _numbers(
    buffer: NDArray[np.uint8], tails: NDArray[np.int64], dim: int
) -> tuple[NDArray[np.float64], list[tuple[int, int, int, int]]]:
    """The numbers of regular lines, and the positions of those in another notation."""
    starts = tails[:, 0 : 2 * dim : 2].ravel() + 1
    points = tails[:, 1 : 2 * dim : 2].ravel()
    ends = tails[:, 2 : 2 * dim + 1 : 2].ravel()
    values, is_plain = plain_decimals(buffer, starts, points, ends)
    odd = np.flatnonzero(~is_plain)
    places = zip(
        (odd // dim).tolist(), (odd % dim).tolist(), starts[odd].tolist(), ends[odd].tolist(),
        strict=True,
    )  # fmt: skip
    return values.reshape(-1, dim), list(places)


def _one_line(
    line: bytes, number: int, layout: Layout
) -> Problem | tuple[NDArray[np.float32], int]:
    """Parse a line by the full grammar: its vector and the length of its word, or the problem."""
    if len(line) > layout.longest_line:
        return _too_long(number, layout)
    if not line.strip():
        return Problem("width", "the line is empty", "Remove it.", number)
    body = line[: -len(layout.ending)]
    if not line.endswith(layout.ending) or body.endswith((b" ", b"\r")):
        return _odd_ending(number, layout)
    pieces = body.rsplit(b" ", layout.dim)
    if len(pieces) != layout.dim + 1:
        what = f"{len(pieces) - 1:,} numbers, expected {layout.dim:,}"
        return Problem("width", what, _CUT, number)
    values = np.empty(layout.dim)
    for column, piece in enumerate(pieces[1:]):
        value = decimal(piece)
        if value is None:
            return _not_a_number(piece, column, number, layout)
        values[column] = value
    if np.abs(values).max() >= _OVERFLOW:
        return Problem(
            "overflow",
            f"number {int(np.abs(values).argmax()) + 1:,} does not fit a 32-bit float",
            "Remove the line or correct the number.",
            number,
        )
    return values.astype(np.float32), len(pieces[0])


def _not_a_number(piece: bytes, column: int, number: int, layout: Layout) -> Problem:
    shown = legible(piece, 20)
    if _NOT_FINITE.match(piece):
        return Problem(
            "not finite",
            f"number {column + 1:,} is {shown}, expected a finite value",
            "Remove the line or correct the number.",
            number,
        )
    return Problem(
        "number",
        f'field {column + 1:,} of {layout.dim:,} is "{shown}", expected a decimal number',
        _CUT,
        number,
    )


def _odd_ending(number: int, layout: Layout) -> Problem:
    names = {b" \n": "a space", b"\r\n": "CR LF", b" \r\n": "a space and CR LF", b"\n": "LF alone"}
    return Problem(
        "line ending",
        f"the line does not end like the others, with {names[layout.ending]}",
        "Rewrite the file with one kind of line ending.",
        number,
    )


def _too_long(number: int, layout: Layout) -> Problem:
    return Problem(
        "long line",
        f"the line is longer than {layout.longest_line:,} bytes, which {layout.dim:,} numbers "
        f"never need",
        _CUT,
        number,
    )
