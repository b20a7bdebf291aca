"""Save vectors in any writable format, completely or not at all."""

import gzip
import lzma
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import numpy as np

from unslant.core.errors import OutputError, UnknownNameError, UnslantError
from unslant.core.files import Progress, atomic_write
from unslant.core.lineage import Lineage
from unslant.core.types import Matrix
from unslant.core.visible import legible
from unslant.numerics.chunks import ordered_parallel, row_blocks
from unslant.numerics.decimals import shortest_decimals
from unslant.vectors import blocks
from unslant.vectors.formats import npz, safetensors
from unslant.vectors.formats.layout import HEAD_BYTES, layout_of, longest_line
from unslant.vectors.formats.word2vec_binary import LONGEST_WORD
from unslant.vectors.given import GivenVectors, vectors_from
from unslant.vectors.vocabulary import Vocabulary
from unslant.vectors.wordvectors import WordVectors

_TEXT_BLOCK_BYTES = 1 << 18  # numbers whose digits fit into the processor's cache
_SUFFIXES = {
    ".safetensors": "safetensors",
    ".npz": "npz",
    ".bin": "word2vec-binary",
    ".vec": "word2vec-text",
    ".txt": "glove-text",
}


def save(
    vectors: GivenVectors,
    path: str | Path,
    format: str | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write vectors to ``path``; reloading restores the same float32 values.

    The format follows the file suffix (``.safetensors``, ``.npz``, ``.bin``, ``.vec``,
    ``.txt``; text also followed by ``.gz`` or ``.xz``) unless it is given.
    """
    vectors = vectors_from(vectors)
    if not isinstance(path, str | PathLike):
        raise OutputError(f"Expected the path of a file to write, not {type(path).__name__}.")
    path = Path(path)
    chosen, packing = format_of(path, format), _packing(path)
    for row in np.flatnonzero(vectors.words.packed.lengths > blocks.LONGEST_WORD).tolist():
        raise OutputError(
            f'The word "{legible(vectors.words.packed[row], 20)}…" is longer than '
            f"{blocks.LONGEST_WORD:,} bytes, so the file could not be loaded again. Remove "
            f"the word."
        )
    with atomic_write(path) as target:
        if packing:
            with _packed(target, packing) as stream:
                _WRITERS[chosen](stream, vectors, progress)
        else:
            _WRITERS[chosen](target, vectors, progress)
    return path


def format_of(path: Path, format: str | None = None) -> str:
    """The format to write: the given one, or the one implied by the file suffix."""
    packing = _packing(path)
    chosen = format or _SUFFIXES.get(Path(path.name.removesuffix(packing)).suffix)
    if chosen is None:
        raise OutputError(
            f"{path}: the suffix does not determine a format. Use one of "
            f"{', '.join(_SUFFIXES)}, or choose one with [[format_name=…|--format]]."
        )
    if chosen not in _WRITERS:
        raise UnknownNameError("output format", chosen, _WRITERS)
    if packing and not chosen.endswith("text"):
        raise OutputError(f"{path}: only text formats can be compressed. Remove {packing}.")
    return chosen


def _packing(path: Path) -> str:
    return path.suffix if path.suffix in (".gz", ".xz") else ""


def _packed(target: BinaryIO, packing: str) -> BinaryIO:
    if packing == ".gz":  # without a timestamp, so that the same vectors give the same file
        return cast(BinaryIO, gzip.GzipFile(fileobj=target, mode="wb", filename="", mtime=0))
    return cast(BinaryIO, lzma.LZMAFile(target, mode="wb"))


def _blocks(vectors: WordVectors, progress: Progress | None) -> Iterator[slice]:
    for rows in row_blocks(len(vectors), 4 * vectors.dim):
        yield rows
        if progress:
            progress("Writing", rows.stop, len(vectors))


def _write_native(stream: BinaryIO, vectors: WordVectors, progress: Progress | None) -> None:
    writer = safetensors.Writer(stream, vectors.dim)
    for rows in _blocks(vectors, progress):
        writer.append(vectors.matrix[rows])
    writer.finish(
        vectors.words, stored_facts(vectors.lineage, vectors.origin, vectors.content_hash)
    )


def stored_facts(lineage: Lineage, origin: Mapping[str, Any], content_hash: str) -> dict[str, Any]:
    """The facts that a file in our own format stores about its vectors."""
    return {
        "name": lineage.origin,
        "steps": list(lineage.steps),
        "origin": dict(origin),
        "content_hash": content_hash,
    }


def _write_npz(stream: BinaryIO, vectors: WordVectors, progress: Progress | None) -> None:
    npz.write(stream, vectors.words, vectors.matrix)


def _write_binary(stream: BinaryIO, vectors: WordVectors, progress: Progress | None) -> None:
    stream.write(f"{len(vectors)} {vectors.dim}\n".encode())
    for rows in _blocks(vectors, progress):
        values = vectors.matrix[rows].astype("<f4", copy=False)
        for word, vector in zip(vectors.words[rows], values, strict=True):
            name = word.encode()
            if b" " in name:
                raise _unwritable(name, "a space ends a word in word2vec binary")
            if len(name) >= LONGEST_WORD:
                raise _unwritable(
                    name, f"word2vec binary allows words of at most {LONGEST_WORD:,} bytes"
                )
            stream.write(name + b" " + vector.tobytes() + b"\n")


def _write_text(
    stream: IO[bytes], vectors: WordVectors, progress: Progress | None, header: bytes = b""
) -> None:
    matrix, words = vectors.matrix, vectors.words
    places = list(row_blocks(len(vectors), 4 * vectors.dim, _TEXT_BLOCK_BYTES))
    lines = ordered_parallel(lambda rows: _lines(words[rows], matrix[rows]), places)
    with closing(lines):
        for rows, text in zip(places, lines, strict=True):
            if rows.start == 0:
                _expect_same_layout(header + text, vectors.dim)
                stream.write(header)
            stream.write(text)
            if progress:
                progress("Writing", rows.stop, len(vectors))


def _lines(words: Vocabulary, rows: Matrix) -> bytes:
    """A word and its numbers on each line; the numbers read back to the same float32 values."""
    for problem in blocks.word_problems(words.packed, np.arange(len(words))):
        raise _unwritable(words.packed[problem.line or 0], problem.what)
    numbers, lengths = shortest_decimals(rows)
    too_long = words.packed.lengths + lengths + 1 > longest_line(rows.shape[1])
    for row in np.flatnonzero(too_long).tolist():
        raise _unwritable(words.packed[row], "its line would be too long")
    text, blob, pieces = numbers.tobytes(), words.packed.blob.tobytes(), []
    begin = start = 0
    for end, stop in zip(words.packed.ends.tolist(), np.cumsum(lengths).tolist(), strict=True):
        pieces += [blob[begin:end], text[start:stop], b"\n"]
        begin, start = end, stop
    return b"".join(pieces)


def _expect_same_layout(text: bytes, dim: int) -> None:
    """Text does not mark where words end; check that a reader would recover the same words."""
    try:
        layout = layout_of(text[:HEAD_BYTES], "the text", None)
    except UnslantError:
        layout = None
    if layout is None or layout.dim != dim or layout.has_bom:
        raise OutputError(
            "Some words look like numbers and could not be distinguished from them in text. Save "
            "as safetensors instead."
        )


def _unwritable(word: bytes, reason: str) -> OutputError:
    return OutputError(
        f'The word "{legible(word)}" cannot be written: {reason}. Save as safetensors instead.'
    )


def _write_word2vec(stream: BinaryIO, vectors: WordVectors, progress: Progress | None) -> None:
    _write_text(stream, vectors, progress, f"{len(vectors)} {vectors.dim}\n".encode())


_WRITERS: dict[str, Callable[[BinaryIO, WordVectors, Progress | None], None]] = {
    "safetensors": _write_native,
    "npz": _write_npz,
    "word2vec-binary": _write_binary,
    "word2vec-text": _write_word2vec,
    "glove-text": _write_text,
}
