"""numpy archives with two arrays: words (text) and vectors (numbers). Pickles are refused.

The header of an array is a Python literal. It is matched here, not evaluated, and it is
only a claim: memory grows with the data read, never with what a header says.
"""

import math
import re
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from unslant.core.compressed import read_up_to, unpack, zip_members
from unslant.core.errors import (
    DamagedFileError,
    FileFormatError,
    OutputError,
    UnsafeFileError,
)
from unslant.numerics.chunks import BLOCK_BYTES, row_blocks
from unslant.numerics.decimals import Ragged
from unslant.vectors.blocks import Block, Reading, checked_block
from unslant.vectors.formats.layout import LARGEST_DIM
from unslant.vectors.vocabulary import Vocabulary

WORDS, VECTORS = ("words", "vocab", "vocabulary"), ("vectors", "matrix", "embeddings")

_ROOM_FOR_WORDS = 256 << 20
_LONGEST_HEADER = 4096
_MAGIC = b"\x93NUMPY"
_DTYPE = re.compile(rb"""['"]descr['"]: ?['"]([<>|=]?[fiubcUSO][0-9]{0,8})['"]""")
_ORDER = re.compile(rb"""['"]fortran_order['"]: ?(True|False)""")
_SHAPE = re.compile(rb"""['"]shape['"]: ?\(([0-9]{1,18}),? ?([0-9]{1,18})?,?\)""")
_REMEDY = "The file may be truncated or damaged; create or download it again."


@dataclass(frozen=True)
class _Array:
    """The content of an array header."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_fortran: bool


def read(path: Path) -> Reading:
    """Open an npz file: its words are read now, its vectors a block at a time."""
    members = zip_members(path)
    words = _words(path, _array_name(path, members, WORDS))
    member = _array_name(path, members, VECTORS)
    with unpack(path, "zip", member) as stream:
        array = _header(stream, f"{path}/{member}")
    if len(array.shape) != 2 or array.dtype.kind != "f" or array.shape[0] != len(words):
        raise FileFormatError(
            f"{path}: {len(words):,} words need a float matrix with as many rows, but its shape "
            f"is {array.shape} and its type {array.dtype}. Save it with numpy.savez(path, "
            f"words=words, vectors=matrix)."
        )
    dim = array.shape[1]
    if not 1 <= dim <= LARGEST_DIM:
        raise DamagedFileError(
            f"{path}: its vectors have {dim:,} numbers each. Expected 1 to {LARGEST_DIM:,}; "
            f"create the file again."
        )
    return Reading("npz", dim, _blocks(path, member, words), unit="word", facts={"dim": dim})


def _array_name(path: Path, members: list[str], accepted: tuple[str, ...]) -> str:
    names = {name.removesuffix(".npy"): name for name in members}
    found = next((names[key] for key in accepted if key in names), None)
    if found is None:
        raise FileFormatError(
            f'{path} has no array called "{accepted[0]}"; it has {", ".join(sorted(names))}. '
            f"Save it with numpy.savez(path, words=words, vectors=matrix)."
        )
    return found


def _header(stream: BinaryIO, shown: str) -> _Array:
    """The header of the array that begins here; the stream is then at its data."""
    start = stream.read(8)
    is_short = start[6:7] == b"\x01"
    size = stream.read(2 if is_short else 4)
    if not start.startswith(_MAGIC) or start[6:7] not in (b"\x01", b"\x02", b"\x03"):
        raise DamagedFileError(f"{shown} does not begin with the header of an array. {_REMEDY}")
    length = int.from_bytes(size, "little")
    text = stream.read(min(length, _LONGEST_HEADER))
    dtype, order, shape = _DTYPE.search(text), _ORDER.search(text), _SHAPE.search(text)
    if dtype and dtype[1].lstrip(b"<>|=") == b"O":
        raise UnsafeFileError(
            f"{shown} contains pickled objects. Opening it could run code, so Unslant did not. "
            f'Save words as strings and vectors as floats: numpy.array(words, dtype="U").'
        )
    if not (dtype and order and shape) or length > _LONGEST_HEADER:
        raise DamagedFileError(
            f"{shown}: the array header cannot be parsed. Expected the plain type, "
            f"order and shape that numpy writes. {_REMEDY}"
        )
    try:
        kind = np.dtype(dtype[1].decode())
    except TypeError as error:
        raise DamagedFileError(
            f"{shown}: its header says type {dtype[1].decode()}, which does not exist. {_REMEDY}"
        ) from error
    return _Array(tuple(int(n) for n in shape.groups() if n), kind, order[1] == b"True")


def _words(path: Path, member: str) -> Ragged:
    shown = f"{path}/{member}"
    with unpack(path, "zip", member) as stream:
        array = _header(stream, shown)
        if len(array.shape) != 1 or array.dtype.kind not in "US" or not array.dtype.itemsize:
            raise FileFormatError(
                f"{shown}: the words must be a list of strings, not an array of shape "
                f'{array.shape} and type {array.dtype}. Save numpy.array(words, dtype="U").'
            )
        words = _data(stream, array, shown)
    if array.dtype.kind == "U":
        codes = words.view(array.dtype.byteorder + "u4")
        if codes.max(initial=0) > sys.maxunicode:  # numpy would crash on these
            raise DamagedFileError(
                f"{shown}: its words contain an invalid character code. {_REMEDY}"
            )
        # Half of a surrogate pair is kept; the word rules refuse it and report its position.
        return Ragged.of([word.encode(errors="surrogatepass") for word in words.tolist()])
    return Ragged.of(words.tolist())


def _data(stream: BinaryIO, array: _Array, shown: str) -> NDArray[Any]:
    """The complete array, once as many bytes have been read as its header claims."""
    claimed = math.prod(array.shape) * array.dtype.itemsize
    data = read_up_to(stream, claimed)
    _expect(len(data), claimed, stream.read(1), shown)
    whole = np.frombuffer(data, dtype=array.dtype)
    return whole.reshape(array.shape, order="F" if array.is_fortran else "C")


def _expect(found: int, claimed: int, behind: bytes, shown: str) -> None:
    if found != claimed or behind:
        has = f"only {found:,} follow" if found < claimed else "more follow"
        raise DamagedFileError(
            f"{shown}: its header claims {claimed:,} bytes, but {has}. {_REMEDY}"
        )


def _blocks(path: Path, member: str, words: Ragged) -> Generator[Block, None, None]:
    shown = f"{path}/{member}"
    with unpack(path, "zip", member) as stream:
        array = _header(stream, shown)
        row_bytes = array.dtype.itemsize * array.shape[1]
        # Column-major data cannot be read row by row; such a matrix is held in memory.
        whole = _data(stream, array, shown) if array.is_fortran else None
        for rows in row_blocks(len(words), row_bytes, BLOCK_BYTES):
            if whole is None:
                claimed = (rows.stop - rows.start) * row_bytes
                data = read_up_to(stream, claimed)
                behind = stream.read(1) if rows.stop == len(words) else b""
                _expect(len(data), claimed, behind, shown)
                block = np.frombuffer(data, dtype=array.dtype).reshape(-1, array.shape[1])
            else:
                block = whole[rows]
            numbers = np.arange(rows.start, rows.stop)
            with np.errstate(
                over="ignore"
            ):  # a number too large becomes infinite and is then refused
                narrow = block.astype(np.float32)
            yield checked_block(words.take(numbers), narrow, numbers + 1, unit="word")


def write(stream: BinaryIO, words: Vocabulary, matrix: NDArray[np.float32]) -> None:
    """Write both arrays, uncompressed, so that numpy reads them anywhere."""
    longest = max(map(len, words), default=0)
    if 4 * longest * len(words) > max(matrix.nbytes, _ROOM_FOR_WORDS):
        raise OutputError(
            f"numpy gives every word the space of the longest, which has {longest:,} characters, "
            f"so the words would take more space than the vectors. Save as safetensors instead."
        )
    np.savez(stream, words=np.array(list(words), dtype=np.str_), vectors=matrix)
