"""The layout of a text file of vectors, inferred from its first thousand lines."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import takewhile

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.numerics.decimals import DECIMAL

BOM = b"\xef\xbb\xbf"
HEAD_BYTES = 4 << 20
LARGEST_DIM = 1 << 18
"""No vectors have more dimensions; no memory is allocated for a file that claims more."""

_AGREEING_LINES = 1000
_HEADER = re.compile(rb"(-?[0-9]{1,19}) (-?[0-9]{1,19}) ?\r?\Z")


@dataclass(frozen=True)
class Layout:
    """How each line is built: ``word``, then ``dim`` numbers, then ``ending``."""

    dim: int
    ending: bytes
    declared_rows: int | None = None
    header_bytes: int = 0
    has_bom: bool = False

    @property
    def first_line(self) -> int:
        """The line number of the first word."""
        return 1 if self.declared_rows is None else 2

    @property
    def longest_line(self) -> int:
        """The maximum length of a line in bytes; a longer line counts as damage."""
        return longest_line(self.dim)


def longest_line(dim: int) -> int:
    """The maximum length in bytes of a line of ``dim`` numbers."""
    return min(64 * dim + (64 << 10), HEAD_BYTES)


def header_of(head: bytes) -> tuple[int, int] | None:
    """The ``rows dim`` line of the word2vec formats, if the file begins with one."""
    line, newline, _ = head.removeprefix(BOM).partition(b"\n")
    match = _HEADER.match(line) if newline else None
    return (int(match[1]), int(match[2])) if match else None


def layout_of(head: bytes, path: str, size: int | None) -> Layout:
    """The layout inferred from the beginning of a file, checked against its header."""
    has_bom = head.startswith(BOM)
    start = len(BOM) if has_bom else 0
    header = header_of(head)
    header_bytes = head.index(b"\n") + 1 if header else start
    lines = head[header_bytes:].split(b"\n")
    first = 2 if header else 1
    if len(lines) == 1 and len(head) >= HEAD_BYTES:
        raise FileFormatError(
            f"{path} line {first}: the line is longer than {HEAD_BYTES:,} bytes, which vectors "
            f"never need. Expected a word and its numbers on each line."
        )
    complete = lines[:-1] or lines  # the end of the head truncates the last piece
    sample = complete[:_AGREEING_LINES]
    if not sample[0].strip():
        raise FileFormatError(
            f"{path} line {first}: the vector is missing. Expected a word followed by numbers, "
            f"separated by single spaces."
        )
    ending = _ending(sample, has_newline=len(lines) > 1)
    dim = _voted_dim(sample, path)
    if dim > LARGEST_DIM:
        raise FileFormatError(
            f"{path} line {first}: {dim:,} numbers. Expected at most {LARGEST_DIM:,} on a line; "
            f"newlines may be missing, so download the file again."
        )
    if header:
        rows, declared_dim = header
        available = None if size is None else size - header_bytes
        if declared_dim != dim:
            or_word = " If it is a word, write its number with a point." if dim == 1 else ""
            raise DamagedFileError(
                f"{path} line 1: the header says {declared_dim:,} numbers per word, the lines have "
                f"{dim:,}. Correct the header or remove it.{or_word}"
            )
        check_claim(rows, dim, 2 * dim + 1, available, path)
        return Layout(dim, ending, rows, header_bytes, has_bom)
    return Layout(dim, ending, None, header_bytes, has_bom)


def check_claim(rows: int, dim: int, row_bytes: int, available: int | None, path: str) -> None:
    """Refuse a header that claims more rows than the file can contain, before allocating."""
    if rows < 1 or not 1 <= dim <= LARGEST_DIM:
        raise DamagedFileError(
            f"{path} line 1: the header says {rows:,} words of {dim:,} numbers. Expected at "
            f"least 1 word of 1 to {LARGEST_DIM:,} numbers; download the file again or correct "
            f"the header."
        )
    # The last line may have no newline, hence one byte less.
    if available is not None and rows * row_bytes > available + 1:
        raise DamagedFileError(
            f"{path} line 1: the header says {rows:,} words of {dim:,} numbers, which need at "
            f"least {rows * row_bytes:,} bytes, but only {available:,} follow. The file may be "
            f"truncated; download it again."
        )


def _ending(sample: list[bytes], *, has_newline: bool) -> bytes:
    """The bytes after the last number of a line, as in most lines."""
    if not has_newline:
        return b"\n"
    ends = Counter((line.endswith(b"\r"), line.rstrip(b"\r").endswith(b" ")) for line in sample)
    (carriage_return, space), _ = ends.most_common(1)[0]
    return (b" " if space else b"") + (b"\r" if carriage_return else b"") + b"\n"


def _voted_dim(sample: list[bytes], path: str) -> int:
    """How many numbers most lines end with; counted from the end, because words may have spaces."""
    fields = [line.rstrip(b" \r").split(b" ")[1:] for line in sample if line]
    votes = Counter(sum(1 for _ in takewhile(DECIMAL.match, reversed(line))) for line in fields)
    dim = max(votes, key=lambda width: (votes[width], width))
    if dim < 1 or 2 * votes[dim] < len(fields):
        raise FileFormatError(
            f"{path} is not a file of word vectors. Expected GloVe, word2vec or fastText text "
            f"(a word and its numbers on each line, separated by single spaces), word2vec "
            f"binary, safetensors or npz."
        )
    return dim
