"""Unslant's own format: a safetensors file with the matrix, the words and how to find them.

Tensors: ``vectors`` (float32, or float16 to save space), ``words`` (UTF-8 bytes laid end to end),
``word_ends`` (where each word ends) and, optionally, ``index_hashes`` and ``index_rows`` (the
sorted index of :class:`Vocabulary`). The matrix comes first and is aligned, so that a file of any
size is mapped, not read. Any safetensors library opens these files.
"""

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.numerics.chunks import row_blocks
from unslant.numerics.ragged import Ragged
from unslant.vectors.formats.wordrules import word_problems
from unslant.vectors.vocabulary import Vocabulary

KIND = "unslant vectors 1"
_HEADER_BYTES = 1 << 16
_DTYPES = {"F32": "<f4", "F16": "<f2", "U8": "|u1", "I64": "<i8", "U64": "<u8", "U32": "<u4"}
_TENSORS = {  # how many dimensions and which types each has
    "vectors": (2, ("F32", "F16")),
    "words": (1, ("U8",)),
    "word_ends": (1, ("I64",)),
    "index_hashes": (1, ("U64",)),
    "index_rows": (1, ("U32",)),
}
_NAMES = {np.dtype(numpy): name for name, numpy in _DTYPES.items()}
_REMEDY = "The file may be cut or damaged; make or fetch it again."


@dataclass(frozen=True)
class Stored:
    """What a file holds, mapped: nothing has been read but the header."""

    words: Vocabulary
    matrix: NDArray[np.floating[Any]]
    metadata: dict[str, Any]

    def check_words(self, path: Path) -> None:
        """Refuse words that overlap or are none; only worth its time for a file from elsewhere."""
        packed = self.words.packed
        if (np.diff(packed.ends, prepend=0) < 0).any():
            raise DamagedFileError(f"{path}: its words overlap. {_REMEDY}")
        for problem in word_problems(packed, np.arange(1, len(packed) + 1), unit="word"):
            raise problem.error(str(path))


def looks_like(head: bytes, size: int) -> bool:
    """Whether the bytes begin with a safetensors header that fits into the file."""
    return len(head) > 9 and head[8:9] == b"{" and 0 < struct.unpack("<Q", head[:8])[0] <= size - 8


def read(path: Path) -> Stored:
    """Map a file of vectors; the safetensors library checks the header first."""
    try:
        with safe_open(path, framework="numpy") as opened:
            metadata = opened.metadata() or {}
    except (SafetensorError, OSError, ValueError) as error:
        raise DamagedFileError(
            f"{path} is not a whole safetensors file ({error}). {_REMEDY}"
        ) from error
    if metadata.get("kind") != KIND:
        raise FileFormatError(
            f"{path} is a safetensors file, but not one of word vectors with their words. Write "
            f"one with unslant convert, from text, word2vec binary or npz."
        )
    try:
        tensors, facts = _mapped(path), _facts(metadata["facts"])
        matrix, words = tensors["vectors"], Ragged(tensors["words"], tensors["word_ends"])
    except (KeyError, OSError, RecursionError, ValueError) as error:
        raise DamagedFileError(
            f"{path}: its header lacks or misstates {error}. {_REMEDY}"
        ) from error
    if len(words) != len(matrix) or not min(matrix.shape):
        raise DamagedFileError(f"{path}: its words and its matrix do not agree. {_REMEDY}")
    if int(words.ends[-1]) != len(words.blob):
        raise DamagedFileError(f"{path}: its words are cut short. {_REMEDY}")
    index = None
    if "index_hashes" in tensors and "index_rows" in tensors:
        index = tensors["index_hashes"], tensors["index_rows"]
    return Stored(Vocabulary(words, index), matrix, facts)


def _mapped(path: Path) -> dict[str, NDArray[Any]]:
    with path.open("rb") as stream:
        length = struct.unpack("<Q", stream.read(8))[0]
        header = json.loads(stream.read(length))
    data = np.memmap(path, dtype=np.uint8, mode="r")
    tensors = {}
    for name, (dimensions, dtypes) in _TENSORS.items():
        if name in header:
            dtype, shape = header[name]["dtype"], header[name]["shape"]
            if dtype not in dtypes or len(shape) != dimensions:
                raise ValueError(name)
            begin, end = (8 + length + offset for offset in header[name]["data_offsets"])
            tensors[name] = data[begin:end].view(_DTYPES[dtype]).reshape(shape)
    return tensors


def _facts(text: str) -> dict[str, Any]:
    facts = json.loads(text)
    kinds = {"name": str, "steps": list, "origin": dict, "content_hash": str}
    if not isinstance(facts, dict) or not all(
        isinstance(facts.get(key, kind()), kind) for key, kind in kinds.items()
    ):
        raise ValueError("the facts about its vectors")
    return facts


class Writer:
    """Writes a file front to back: rows of the matrix first, words and header at the end.

    The number of rows need not be known before: room for the header is kept at the start and
    filled in last, so a file that was not finished has no header and is refused.
    """

    def __init__(self, stream: BinaryIO, dim: int, dtype: str = "<f4") -> None:
        self._stream, self._dim, self._dtype = stream, dim, np.dtype(dtype)
        self.rows = 0
        stream.write(bytes(8 + _HEADER_BYTES))

    def append(self, block: NDArray[np.float32]) -> None:
        """Add rows to the matrix."""
        self._stream.write(np.ascontiguousarray(block, dtype=self._dtype).data)
        self.rows += len(block)

    def mapped(self) -> NDArray[np.floating[Any]]:
        """The rows written so far, open for change."""
        self._stream.flush()
        shape = (self.rows, self._dim)
        return np.memmap(self._stream, self._dtype, "r+", offset=8 + _HEADER_BYTES, shape=shape)

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Keep only the given rows, in ascending order, moving them up in place."""
        mapped = self.mapped()
        row_bytes = self._dtype.itemsize * self._dim
        for part in row_blocks(len(rows), row_bytes):
            mapped[part] = mapped[rows[part]]
        del mapped
        self.rows = len(rows)
        self._stream.seek(8 + _HEADER_BYTES + self.rows * row_bytes)
        self._stream.truncate()

    def finish(self, words: Vocabulary, facts: dict[str, Any], *, with_index: bool = True) -> None:
        """Add the words and write the header, which makes the file whole."""
        size = self.rows * self._dim * self._dtype.itemsize
        parts: dict[str, NDArray[Any]] = {}
        if size % 8:  # the tensors behind the matrix hold 64-bit numbers
            parts["alignment"] = np.zeros(-size % 8, dtype=np.uint8)
        parts["word_ends"] = words.packed.ends.astype("<i8", copy=False)
        if with_index:
            hashes, rows = words.sorted_hashes
            parts["index_hashes"] = hashes.astype("<u8", copy=False)
            parts["index_rows"] = rows.astype("<u4", copy=False)
        parts["words"] = words.packed.blob
        header: dict[str, Any] = {
            "__metadata__": {"kind": KIND, "facts": json.dumps(facts)},
            "vectors": _entry(self._dtype, (self.rows, self._dim), 0, size),
        }
        for name, array in parts.items():
            self._stream.write(np.ascontiguousarray(array).data)
            header[name] = _entry(array.dtype, array.shape, size, size + array.nbytes)
            size += array.nbytes
        text = json.dumps(header, separators=(",", ":")).encode()
        if len(text) > _HEADER_BYTES:
            raise FileFormatError("The facts about these vectors are too long for the header.")
        self._stream.seek(0)
        self._stream.write(struct.pack("<Q", _HEADER_BYTES) + text.ljust(_HEADER_BYTES))
        self._stream.seek(0, 2)


def _entry(dtype: np.dtype[Any], shape: tuple[int, ...], begin: int, end: int) -> dict[str, Any]:
    return {"dtype": _NAMES[dtype], "shape": list(shape), "data_offsets": [begin, end]}
