"""word2vec binary: a header, then for each word its bytes, a space and little-endian floats.

Some writers put a newline after each vector, some do not; both are read. One file never mixes the
two: if a newline is missing or added, bytes were lost, even if words and vectors look complete.
"""

from collections.abc import Generator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError
from unslant.core.files import Progress
from unslant.numerics.chunks import reuse_freed_memory
from unslant.numerics.decimals import sliced
from unslant.vectors.blocks import Block, Problem, Reading, checked_block
from unslant.vectors.formats.layout import check_claim, header_of

_CHUNK_BYTES = 1 << 20
_MANY_CHUNKS = 32 << 20
LONGEST_WORD = 4096
_SHIFTED = "its record does not begin like the others, with or without a newline before it"
_CUT = "The file may be truncated or damaged; download it again."


def read(
    stream: BinaryIO, path: str, size: int | None, progress: Progress | None = None
) -> Reading:
    """Open a word2vec binary file."""
    head = stream.readline(64)
    header = header_of(head)
    if header is None:  # it was there when the format was detected
        raise DamagedFileError(f"{path} changed while it was being read. Load it again.")
    rows, dim = header
    check_claim(rows, dim, 4 * dim + 2, None if size is None else size - len(head), path)
    if (size or 0) > _MANY_CHUNKS:
        reuse_freed_memory()
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
        more = stream.read(max(_CHUNK_BYTES, 4 * dim))
        rest = rest + more if rest else more
        spaces, used = _records(rest, dim, rows - row)
        if len(spaces):
            buffer = np.frombuffer(rest, dtype=np.uint8)
            starts = np.concatenate([[0], spaces[:-1] + 1 + 4 * dim])
            has_newline = buffer[starts] == ord("\n")
            if row == 0:  # only the header comes before the first record
                usual = bool(has_newline[1]) if len(spaces) > 1 else None
            is_odd = has_newline != usual if usual is not None else np.zeros(len(spaces), bool)
            is_odd[0] &= row > 0
            numbers = np.arange(row + 1, row + 1 + len(spaces))
            problems = [
                Problem("record", _SHIFTED, _CUT, number, "word")
                for number in numbers[is_odd].tolist()
            ]
            begins = starts + has_newline
            words = sliced(buffer, begins, spaces - begins)
            windows = np.lib.stride_tricks.sliding_window_view(buffer, 4 * dim)
            matrix = windows[spaces + 1].view("<f4").astype(np.float32, copy=False)
            yield checked_block(words, matrix, numbers, problems=problems, unit="word")
        row += len(spaces)
        rest = rest[used:]
        done += used
        if progress:
            progress("Reading", done, size)
        if not len(spaces) and len(rest) > LONGEST_WORD + 4 * dim and row < rows:
            yield _lost(dim, row, f"no space within {LONGEST_WORD:,} bytes, so there is no word")
            return
        if not more and row < rows:
            what = f"the file ends here, but the header says {rows:,} words"
            yield _lost(dim, row, what)
            return
    left = (rest + stream.read(16)).lstrip(b"\n")
    if left:
        yield _lost(dim, row, f"there are bytes after the {rows:,} words in the header")


def _lost(dim: int, row: int, what: str) -> Block:
    return Block.only_problems(dim, Problem("record", what, _CUT, row + 1, "word"))


def _records(data: bytes, dim: int, most: int) -> tuple[NDArray[np.int64], int]:
    """The position of the space after the word in each complete record, and the bytes used.

    Each record begins where the one before it ends, so this is the one loop over words that
    cannot be done all at once; it only finds spaces.
    """
    spaces: list[int] = []
    position, width, last = 0, 1 + 4 * dim, len(data) - 1 - 4 * dim
    find, append = data.find, spaces.append
    for _ in range(most):
        space = find(b" ", position, position + 1 + LONGEST_WORD)
        if space < 0 or space > last:
            break
        append(space)
        position = space + width
    return np.array(spaces, dtype=np.int64), position
