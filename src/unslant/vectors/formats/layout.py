"""What a text file of vectors looks like, agreed on by its first thousand lines."""

import re
from collections import Counter
from dataclasses import dataclass

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.numerics.decimals import DECIMAL

BOM = b"\xef\xbb\xbf"
HEAD_BYTES = 4 << 20
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
        """How many bytes a line may have before it is taken for damage."""
        return 64 * self.dim + (64 << 10)


def header_of(head: bytes) -> tuple[int, int] | None:
    """The ``rows dim`` line of the word2vec formats, if the file begins with one."""
    line, newline, _ = head.removeprefix(BOM).partition(b"\n")
    match = _HEADER.match(line) if newline else None
    return (int(match[1]), int(match[2])) if match else None


def layout_of(head: bytes, path: str, size: int | None) -> Layout:
    """The layout that the beginning of a file shows, checked against what a header claims."""
    has_bom = head.startswith(BOM)
    start = len(BOM) if has_bom else 0
    header = header_of(head)
    header_bytes = head.index(b"\n") + 1 if header else start
    lines = head[header_bytes:].split(b"\n")
    complete = lines[:-1] or lines  # the last piece is cut by the end of the head
    sample = complete[:_AGREEING_LINES]
    if not sample or not sample[0].strip():
        raise FileFormatError(
            f"{path}: there is no vector on its first line. Expected a word followed by numbers, "
            f"separated by single spaces."
        )
    ending = _ending(sample, has_newline=len(lines) > 1)
    tail = len(ending) - 1
    fields = Counter(line[: len(line) - tail].count(b" ") for line in sample if line)
    dim = fields.most_common(1)[0][0]
    _expect_numbers(sample, dim, tail, path)
    if header:
        rows, declared_dim = header
        if size is not None:
            check_claim(rows, declared_dim, 2 * declared_dim + 1, size - header_bytes, path)
        if declared_dim != dim:
            raise DamagedFileError(
                f"{path} line 1: the header says {declared_dim:,} numbers a word, the lines have "
                f"{dim:,}. Correct the header or remove it."
            )
        return Layout(dim, ending, rows, header_bytes, has_bom)
    return Layout(dim, ending, None, header_bytes, has_bom)


def check_claim(rows: int, dim: int, row_bytes: int, available: int, path: str) -> None:
    """Refuse a header whose rows cannot all be in the file, before anything is allocated."""
    if rows < 1 or dim < 1:
        raise DamagedFileError(
            f"{path} line 1: the header says {rows:,} words of {dim:,} numbers. Both must be at "
            f"least 1; the file is damaged or of another format."
        )
    # The last line may lack its newline, hence the one byte of grace.
    if rows * row_bytes > available + 1:
        raise DamagedFileError(
            f"{path} line 1: the header says {rows:,} words of {dim:,} numbers, which need at "
            f"least {rows * row_bytes:,} bytes, but only {available:,} follow. The file may be "
            f"cut; fetch it again."
        )


def _ending(sample: list[bytes], *, has_newline: bool) -> bytes:
    """The bytes behind the last number of a line: what most lines end with."""
    if not has_newline:
        return b"\n"
    ends = Counter((line.endswith(b"\r"), line.rstrip(b"\r").endswith(b" ")) for line in sample)
    (carriage_return, space), _ = ends.most_common(1)[0]
    return (b" " if space else b"") + (b"\r" if carriage_return else b"") + b"\n"


def _expect_numbers(sample: list[bytes], dim: int, tail: int, path: str) -> None:
    """Refuse text that is no vector file: most lines must end in ``dim`` numbers."""

    def has_numbers(line: bytes) -> bool:
        pieces = line[: len(line) - tail].rsplit(b" ", dim)[1:]
        return len(pieces) == dim and sum(map(bool, map(DECIMAL.match, pieces))) * 2 > dim

    good = sum(map(has_numbers, sample[:100]))
    if dim < 1 or good * 2 < len(sample[:100]):
        raise FileFormatError(
            f"{path} is not a file of word vectors. Expected GloVe, word2vec or fastText text "
            f"(a word and its numbers on each line, separated by single spaces), word2vec "
            f"binary, safetensors or npz."
        )
