"""word2vec binary: a header, then for each word its bytes, a space and little-endian floats.

Some writers put a newline behind each vector, some do not; both are read. One file never does
both: where a newline is missing or added, bytes were lost, though words and vectors may look whole.
"""

from collections.abc import Generator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError
from unslant.core.files import Progress
from unslant.numerics.ragged import Ragged
from unslant.vectors.blocks import Block, Problem, Reading
from unslant.vectors.formats.layout import check_claim, header_of
from unslant.vectors.formats.wordrules import checked_block

_CHUNK_BYTES = 8 << 20
LONGEST_WORD = 4096
_SHIFTED = "its record does not begin where the others do, with or without a newline before it"
_CUT = "The file may be cut or damaged; fetch it again."


def read(
    stream: BinaryIO, path: str, size: int | None, progress: Progress | None = None
) -> Reading:
    """Open a word2vec binary file."""
    head = stream.readline(64)
    header = header_of(head)
    if header is None:  # it was there when the format was found out
        raise DamagedFileError(f"{path} changed while it was read. Load it again.")
    rows, dim = header
    check_claim(rows, dim, 4 * dim + 2, None if size is None else size - len(head), path)
    return Reading(
        format="word2vec binary",
        dim=dim,
        blocks=_blocks(stream, rows, dim, len(head), size or 0, progress),
        declared_rows=rows,
        unit="word",
        facts={"dim": dim},
    )


def _blocks(
    stream: BinaryIO, rows: int, dim: int, done: int, size: int, progress: Progress | None
) -> Generator[Block, None, None]:
    rest, row, usual = b"", 0, None
    while row < rows:
        more = stream.read(_CHUNK_BYTES)
        rest = rest + more if rest else more
        words, starts, newlines, used = _records(rest, dim, rows - row)
        if row == 0 and words:  # nothing but the header stands before the first record
            usual = newlines[1] if len(words) > 1 else None
            newlines[0] = usual or 0
        if words:
            numbers = np.arange(row + 1, row + 1 + len(words))
            odd = numbers[np.array(newlines) != usual] if usual is not None else []
            problems = [Problem("record", _SHIFTED, _CUT, int(number), "word") for number in odd]
            yield _block(rest, words, starts, dim, numbers, problems)
        row += len(words)
        rest = rest[used:]
        done += used
        if progress:
            progress("Reading", done, size)
        if not words and len(rest) > LONGEST_WORD + 4 * dim and row < rows:
            yield _lost(dim, row, f"no space within {LONGEST_WORD:,} bytes, so there is no word")
            return
        if not more and row < rows:
            what = f"the file ends here, but the header says {rows:,} words"
            yield _lost(dim, row, what)
            return
    left = (rest + stream.read(16)).lstrip(b"\n")
    if left:
        yield _lost(dim, row, f"there are bytes behind the {rows:,} words of the header")


def _lost(dim: int, row: int, what: str) -> Block:
    return Block.only_problems(dim, Problem("record", what, _CUT, row + 1, "word"))


def _records(data: bytes, dim: int, most: int) -> tuple[list[bytes], list[int], list[int], int]:
    """The whole records in ``data``: words, where vectors start, newlines before; bytes used.

    Each record begins where the one before it ends, so this is the one loop over words that
    cannot be done all at once; it only finds spaces.
    """
    words: list[bytes] = []
    starts: list[int] = []
    newlines: list[int] = []
    position, width, total = 0, 4 * dim, len(data)
    while len(words) < most:
        begin = position + 1 if data[position : position + 1] == b"\n" else position
        space = data.find(b" ", begin, begin + LONGEST_WORD)
        end = space + 1 + width
        if space < 0 or end > total:
            break
        words.append(data[begin:space])
        starts.append(space + 1)
        newlines.append(begin - position)
        position = end
    return words, starts, newlines, position


def _block(
    data: bytes,
    words: list[bytes],
    starts: list[int],
    dim: int,
    numbers: NDArray[np.int64],
    problems: list[Problem],
) -> Block:
    buffer = np.frombuffer(data, dtype=np.uint8)
    windows = np.lib.stride_tricks.sliding_window_view(buffer, 4 * dim)
    matrix = windows[np.array(starts)].view("<f4").astype(np.float32, copy=False)
    return checked_block(Ragged.of(words), matrix, numbers, problems=problems, unit="word")
