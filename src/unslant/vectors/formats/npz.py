"""numpy archives with two arrays: words (text) and vectors (numbers). Never a pickled one."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError, FileFormatError, UnsafeFileError
from unslant.numerics.chunks import row_blocks
from unslant.numerics.ragged import Ragged
from unslant.vectors.blocks import Block, Reading
from unslant.vectors.formats.compressed import LARGEST_RATIO
from unslant.vectors.formats.wordrules import checked_block
from unslant.vectors.vocabulary import Vocabulary

WORDS, VECTORS = ("words", "vocab", "vocabulary"), ("vectors", "matrix", "embeddings")


def read(path: Path) -> Reading:
    """Open an npz file; arrays are checked against the archive's sizes before they are made."""
    with zipfile.ZipFile(path) as archive:
        names = {name.removesuffix(".npy"): name for name in archive.namelist()}
        words = _member(archive, names, WORDS, path)
        matrix = _member(archive, names, VECTORS, path)
    if words.ndim != 1 or words.dtype.kind not in "US":
        raise FileFormatError(f"{path}: the words must be a list of strings, not {words.dtype}.")
    if matrix.ndim != 2 or matrix.dtype.kind != "f" or matrix.shape[0] != len(words):
        raise FileFormatError(
            f"{path}: {len(words):,} words need a matrix of as many rows of floats, not one of "
            f"shape {matrix.shape} and type {matrix.dtype}."
        )
    packed = Ragged.of([w.encode() if isinstance(w, str) else bytes(w) for w in words.tolist()])
    return Reading("npz", int(matrix.shape[1]), _blocks(packed, matrix), len(words))


def _member(
    archive: zipfile.ZipFile, names: dict[str, str], accepted: tuple[str, ...], path: Path
) -> NDArray[Any]:
    name = next((names[key] for key in accepted if key in names), None)
    if name is None:
        raise FileFormatError(
            f'{path} has no array called "{accepted[0]}"; it has {", ".join(sorted(names))}. '
            f"Save it with numpy.savez(path, words=words, vectors=matrix)."
        )
    info = archive.getinfo(name)
    if info.file_size > LARGEST_RATIO * max(info.compress_size, 1) + (1 << 20):
        raise UnsafeFileError(
            f"{path}: {name} unpacks to more than {LARGEST_RATIO} times its size, so it was not."
        )
    try:
        with archive.open(info) as stream:
            shape, dtype = _header(stream)
            if dtype.hasobject:
                raise UnsafeFileError(
                    f"{path}: {name} holds pickled objects, which run code when opened, so it was "
                    f'not. Save the words as strings: numpy.array(words, dtype="U").'
                )
            claimed = int(np.prod([int(n) for n in shape], dtype=object)) * dtype.itemsize
            if claimed > info.file_size or min(shape, default=1) < 0:
                raise DamagedFileError(
                    f"{path}: {name} claims {claimed:,} bytes but has {info.file_size:,}. The "
                    f"file may be cut or damaged; fetch it again."
                )
        with archive.open(info) as stream:
            array = npy.read_array(cast(BinaryIO, stream), allow_pickle=False)
    except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise DamagedFileError(f"{path}: {name} cannot be read: {error}.") from error
    return np.asarray(array)


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    binary = cast(BinaryIO, stream)
    version = npy.read_magic(binary)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"npy version {version} is unknown")
    shape, _, dtype = readers[version](binary)
    return shape, dtype


def _blocks(words: Ragged, matrix: NDArray[Any]) -> Iterator[Block]:
    for rows in row_blocks(len(words), matrix.dtype.itemsize * matrix.shape[1]):
        numbers = np.arange(rows.start, rows.stop)
        with np.errstate(over="ignore"):
            block = matrix[rows].astype(np.float32)
        yield checked_block(words.take(numbers), block, numbers + 1, unit="word")


def write(stream: BinaryIO, words: Vocabulary, matrix: NDArray[np.float32]) -> None:
    """Write both arrays, uncompressed, so that numpy reads them anywhere."""
    np.savez(stream, words=np.array(list(words), dtype=np.str_), vectors=matrix)
