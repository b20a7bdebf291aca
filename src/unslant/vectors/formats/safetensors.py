"""Unslant's own format: a safetensors file with the matrix, the words and their index.

Tensors: ``vectors`` (float32, or float16 to save space), ``words`` (concatenated UTF-8 bytes),
``word_ends`` (where each word ends) and, optionally, ``index_hashes`` and ``index_rows`` (the
sorted index of :class:`Vocabulary`), ``block_hashes`` (of the matrix, see ``vectors/seals.py``)
and ``seal`` (the hash of the header and of all tensors except the matrix). Any safetensors library
can open these files.
"""

import hashlib
import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from unslant.core.compressed import read_up_to
from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.core.visible import legible
from unslant.numerics.chunks import row_blocks
from unslant.numerics.decimals import Ragged
from unslant.vectors.blocks import word_problems
from unslant.vectors.sealed import DIGEST_BYTES, BlockHashes, SealedRows, blocks_of
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
    "block_hashes": (2, ("U8",)),
    "seal": (1, ("U8",)),
}
_NAMES = {np.dtype(numpy): name for name, numpy in _DTYPES.items()}
_REMEDY = "The file may be truncated or damaged; create or download it again."


@dataclass(frozen=True)
class Stored:
    """A file with everything except the matrix in memory, and the position of the matrix."""

    path: Path
    stream: BinaryIO
    words: Vocabulary
    facts: dict[str, Any]
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    offset: int
    block_hashes: NDArray[np.uint8] | None
    seal: bytes | None

    def check_words(self) -> None:
        """Refuse words that overlap, are invalid or do not match the index."""
        packed = self.words.packed
        if (np.diff(packed.ends, prepend=0) < 0).any():
            raise DamagedFileError(f"{self.path}: its words overlap. {_REMEDY}")
        for problem in word_problems(packed, np.arange(1, len(packed) + 1), unit="word"):
            raise problem.error(str(self.path))
        (hashes, rows), index = Vocabulary(packed).sorted_hashes, self.words.sorted_hashes
        if not (np.array_equal(hashes, index[0]) and np.array_equal(rows, index[1])):
            raise DamagedFileError(f"{self.path}: its index does not match its words. {_REMEDY}")

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """The rows as float32, read into memory a block at a time."""
        row_bytes = self.dtype.itemsize * self.shape[1]
        self.stream.seek(self.offset)
        for rows in row_blocks(self.shape[0], row_bytes):
            size = (rows.stop - rows.start) * row_bytes
            data = read_up_to(self.stream, size)
            if len(data) != size:
                raise DamagedFileError(
                    f"{self.path} became shorter while it was being read. {_REMEDY}"
                )
            block = np.frombuffer(data, dtype=self.dtype).reshape(-1, self.shape[1])
            yield block.astype(np.float32, copy=False)

    def mapped(self) -> SealedRows:
        """The rows mapped from the file, each checked before use."""
        if self.block_hashes is None or self.dtype != np.float32:
            raise DamagedFileError(f"{self.path} has no checksums of its float32 rows. {_REMEDY}")
        return SealedRows(self.path, self.stream, self.offset, self.shape, self.block_hashes)


def looks_like(head: bytes, size: int) -> bool:
    """Whether the bytes begin with a safetensors header that fits into the file."""
    return len(head) > 9 and head[8:9] == b"{" and 0 < struct.unpack("<Q", head[:8])[0] <= size - 8


@contextmanager
def opened(path: Path) -> Iterator[Stored]:
    """A file of vectors, open; the safetensors library checks the header first."""
    try:
        with safe_open(path, framework="numpy") as checked:
            metadata = checked.metadata() or {}
    except (SafetensorError, OSError, ValueError) as error:
        raise DamagedFileError(
            f"{path} is not a complete safetensors file ({legible(str(error), 200)}). {_REMEDY}"
        ) from error
    if metadata.get("kind") != KIND:
        raise FileFormatError(
            f"{path} is a safetensors file, but it does not contain word vectors with their words. "
            f"Create one with unslant files convert, from text, word2vec binary or npz."
        )
    with path.open("rb") as stream:
        yield _stored(path, stream)


def _stored(path: Path, stream: BinaryIO) -> Stored:
    try:
        start = stream.read(8)
        text = stream.read(struct.unpack("<Q", start)[0])
        header = json.loads(text)
        facts = _facts(header["__metadata__"]["facts"])
        arrays = _arrays(stream, header, 8 + len(text))
        words = Ragged(arrays["words"], arrays["word_ends"])
        shape, dtype = tuple(header["vectors"]["shape"]), header["vectors"]["dtype"]
        if dtype not in _TENSORS["vectors"][1] or len(shape) != 2:
            raise ValueError("vectors")
        offset = 8 + len(text) + header["vectors"]["data_offsets"][0]
    except (KeyError, OSError, RecursionError, TypeError, ValueError, struct.error) as error:
        raise DamagedFileError(
            f"{path}: missing or wrong in its header: {legible(str(error), 200)}. {_REMEDY}"
        ) from error
    seal = arrays.pop("seal").tobytes() if "seal" in arrays else None
    if seal is not None and seal != _seal(start + text, arrays):
        raise DamagedFileError(f"{path}: its content does not match its checksum. {_REMEDY}")
    if len(words) != shape[0] or not min(shape):
        raise DamagedFileError(f"{path}: its words and its matrix do not agree. {_REMEDY}")
    if int(words.ends[-1]) != len(words.blob):
        raise DamagedFileError(f"{path}: its words are truncated. {_REMEDY}")
    index = None
    if "index_hashes" in arrays and "index_rows" in arrays:
        index = arrays["index_hashes"], arrays["index_rows"]
    numpy_type, hashes = np.dtype(_DTYPES[dtype]), arrays.get("block_hashes")
    expected = blocks_of(shape[0], numpy_type.itemsize * shape[1]), DIGEST_BYTES
    if seal is None or (hashes is not None and hashes.shape != expected):
        hashes = None  # they cannot be verified
    vocabulary = Vocabulary(words, index)
    return Stored(path, stream, vocabulary, facts, shape, numpy_type, offset, hashes, seal)


def _arrays(stream: BinaryIO, header: dict[str, Any], start: int) -> dict[str, NDArray[Any]]:
    """All tensors except the matrix, in file order, read into memory.

    The library has checked that their sizes are correct and that they fill the file.
    """
    arrays: dict[str, NDArray[Any]] = {}
    entries = {name: entry for name, entry in header.items() if name in _TENSORS}
    for name in sorted(entries, key=lambda name: int(entries[name]["data_offsets"][0])):
        dimensions, dtypes = _TENSORS[name]
        dtype, shape = entries[name]["dtype"], entries[name]["shape"]
        if dtype not in dtypes or len(shape) != dimensions:
            raise ValueError(name)
        if name != "vectors":
            begin, end = entries[name]["data_offsets"]
            stream.seek(start + begin)
            arrays[name] = np.frombuffer(stream.read(end - begin), _DTYPES[dtype]).reshape(shape)
    return arrays


def _seal(header: bytes, arrays: dict[str, NDArray[Any]]) -> bytes:
    digest = hashlib.sha256(header)
    for array in arrays.values():
        digest.update(array.data)
    return digest.digest()


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

    The number of rows need not be known in advance: space for the header is reserved at the start
    and filled in last, so an unfinished file has no header and is refused.
    """

    def __init__(self, stream: BinaryIO, dim: int, dtype: str = "<f4") -> None:
        self._stream, self._dim, self._dtype = stream, dim, np.dtype(dtype)
        self._hashes = BlockHashes(self._dtype.itemsize * dim)
        self.rows = 0
        stream.write(bytes(8 + _HEADER_BYTES))

    def append(self, block: NDArray[np.float32]) -> None:
        """Add rows to the matrix."""
        self.write(self.counted(block))

    def counted(self, block: NDArray[np.float32]) -> memoryview:
        """The bytes of the next rows, hashed and counted; :meth:`write` has to follow."""
        data = np.ascontiguousarray(block, dtype=self._dtype).reshape(-1).view(np.uint8).data
        self._hashes.update(data)
        self.rows += len(block)
        return data

    def write(self, data: memoryview) -> None:
        """Write the counted bytes, in the same order."""
        self._stream.write(data)

    def mapped(self) -> NDArray[np.floating[Any]]:
        """The rows written so far, writable."""
        self._stream.flush()
        shape = (self.rows, self._dim)
        return np.memmap(self._stream, self._dtype, "r+", offset=8 + _HEADER_BYTES, shape=shape)

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Keep only the given rows, in ascending order, moving them up in place."""
        mapped = self.mapped()
        row_bytes = self._dtype.itemsize * self._dim
        self._hashes = BlockHashes(row_bytes)
        for part in row_blocks(len(rows), row_bytes):
            kept = np.array(mapped[rows[part]])
            mapped[part] = kept
            self._hashes.update(kept.reshape(-1).view(np.uint8).data)
        del mapped
        self.rows = len(rows)
        self._stream.seek(8 + _HEADER_BYTES + self.rows * row_bytes)
        self._stream.truncate()

    def finish(self, words: Vocabulary, facts: dict[str, Any], *, with_index: bool = True) -> None:
        """Add the words, write the header and seal both, which completes the file."""
        size = self.rows * self._dim * self._dtype.itemsize
        parts: dict[str, NDArray[Any]] = {"word_ends": words.packed.ends.astype("<i8", copy=False)}
        if with_index:
            hashes, rows = words.sorted_hashes
            parts["index_hashes"] = hashes.astype("<u8", copy=False)
            parts["index_rows"] = rows.astype("<u4", copy=False)
        parts["words"] = words.packed.blob
        parts["block_hashes"] = self._hashes.table()
        header: dict[str, Any] = {
            "__metadata__": {"kind": KIND, "facts": json.dumps(facts)},
            "vectors": _entry(self._dtype, (self.rows, self._dim), 0, size),
        }
        if size % 8:  # the tensors after the matrix contain 64-bit numbers
            padding = np.zeros(-size % 8, dtype=np.uint8)
            header["alignment"] = _entry(padding.dtype, padding.shape, size, size + len(padding))
            self._stream.write(padding.data)
            size += len(padding)
        parts = {name: np.ascontiguousarray(array) for name, array in parts.items()}
        for name, array in parts.items():
            self._stream.write(array.data)
            header[name] = _entry(array.dtype, array.shape, size, size + array.nbytes)
            size += array.nbytes
        header["seal"] = _entry(np.dtype(np.uint8), (DIGEST_BYTES,), size, size + DIGEST_BYTES)
        text = json.dumps(header, separators=(",", ":")).encode()
        if len(text) > _HEADER_BYTES:
            raise FileFormatError("The facts about these vectors are too long for the header.")
        start = struct.pack("<Q", _HEADER_BYTES) + text.ljust(_HEADER_BYTES)
        self._stream.write(_seal(start, parts))
        self._stream.seek(0)
        self._stream.write(start)
        self._stream.seek(0, 2)


def _entry(dtype: np.dtype[Any], shape: tuple[int, ...], begin: int, end: int) -> dict[str, Any]:
    return {"dtype": _NAMES[dtype], "shape": list(shape), "data_offsets": [begin, end]}
