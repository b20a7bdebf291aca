"""Vectors after an eraser: in memory, in a mapped file if they are large, or saved."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress, atomic_write, cache_folder, own_folder
from unslant.core.lineage import Lineage
from unslant.core.types import Matrix
from unslant.erasers import Eraser
from unslant.vectors import Found, GivenVectors, Space, WordVectors, vectors_from
from unslant.vectors.formats import safetensors
from unslant.vectors.save import format_of, save, stored_facts
from unslant.vectors.wordvectors import ContentHash

Watch = Callable[[slice, Matrix, Matrix], None]
"""Receives each block of rows with its position, before and after."""

IN_MEMORY_BYTES = 512 << 20
"""Results up to this size are held in memory; larger ones in a file in the cache folder."""


def debiased(
    vectors: GivenVectors,
    eraser: Eraser,
    progress: Progress | None = None,
    *,
    watch: Watch | None = None,
) -> WordVectors:
    """The vectors after an eraser, in one pass; the given vectors are not changed."""
    vectors = vectors_from(vectors)
    _expect_fit(vectors, eraser)
    size = 4 * len(vectors) * eraser.dim_out
    if size <= IN_MEMORY_BYTES:
        matrix: Matrix = np.empty((len(vectors), eraser.dim_out), dtype=np.float32)
        for _ in _blocks(vectors, eraser, progress, watch, into=matrix):
            pass
    else:
        matrix = _erased_on_disk(vectors, eraser, progress, watch)
    return _with_lineage(vectors, eraser, matrix)


def save_debiased(
    vectors: WordVectors,
    eraser: Eraser,
    path: str | Path,
    format: str | None = None,
    progress: Progress | None = None,
    *,
    watch: Watch | None = None,
) -> WordVectors:
    """Write the vectors after an eraser to a file, completely or not at all, and return them.

    Our own format is written block by block as it is computed and mapped afterwards, so the
    full matrix is never in memory.
    """
    path = Path(path)
    if format_of(path, format) != "safetensors":
        after = debiased(vectors, eraser, progress, watch=watch)
        save(after, path, format, progress)
        return after
    _expect_fit(vectors, eraser)
    lineage, origin = _lineage(vectors, eraser), _origin(vectors)
    with atomic_write(path) as stream:
        writer = safetensors.Writer(stream, eraser.dim_out)
        digest = ContentHash(vectors.words, eraser.dim_out)
        with ThreadPoolExecutor(1) as pool:  # a block is hashed while it is written
            for block in _blocks(vectors, eraser, progress, watch):
                hashing = pool.submit(digest.update, block)
                writer.append(block)
                hashing.result()
        writer.finish(vectors.words, stored_facts(lineage, origin, digest.hexdigest()))
    with safetensors.opened(path) as stored:
        rows = stored.mapped()
    return WordVectors(vectors.words, rows, lineage, origin=origin, content_hash=digest.hexdigest())


def _blocks(
    vectors: WordVectors,
    eraser: Eraser,
    progress: Progress | None,
    watch: Watch | None,
    into: Matrix | None = None,
) -> Iterator[Matrix]:
    for place, block in eraser.blocks(vectors.matrix, vectors.words, into):
        yield block.astype(np.float32, copy=False)
        if watch:
            watch(place, vectors.matrix[place], block)
        if progress:
            progress(f"Applying {eraser}", place.stop, len(vectors))


def _erased_on_disk(
    vectors: WordVectors, eraser: Eraser, progress: Progress | None, watch: Watch | None
) -> Matrix:
    """The result in an unnamed file, which the system removes when no process maps it."""
    folder = cache_folder()
    try:
        own_folder(folder)
        with tempfile.TemporaryFile(dir=folder) as stream:
            for block in _blocks(vectors, eraser, progress, watch):
                stream.write(np.ascontiguousarray(block).data)
            stream.flush()
            shape = (len(vectors), eraser.dim_out)
            mapped = np.memmap(stream, dtype=np.float32, mode="r", shape=shape)
    except OSError as error:
        raise OutputError(
            f"The result fits neither into memory nor into {folder} "
            f"({error.strerror}). Choose another folder with UNSLANT_CACHE."
        ) from error
    return mapped.view(np.ndarray)


def _expect_fit(vectors: WordVectors, eraser: Eraser) -> None:
    if not isinstance(eraser, Eraser):
        raise UnslantError(
            f"Expected an eraser from us.fit(…), not {type(eraser).__name__}. To fit and apply a "
            f"method by its name, use us.debias."
        )
    if vectors.dim != eraser.dim:
        raise UnslantError(
            f"{eraser} was fitted on vectors of width {eraser.dim}, but {vectors.name} has width "
            f"{vectors.dim}. Apply it to vectors of the same space, or fit it again."
        )


def _with_lineage(vectors: WordVectors, eraser: Eraser, matrix: Matrix) -> WordVectors:
    return WordVectors(vectors.words, matrix, _lineage(vectors, eraser), origin=_origin(vectors))


def _lineage(vectors: WordVectors, eraser: Eraser) -> Lineage:
    lineage = vectors.lineage
    for stage in eraser.stages:
        lineage = lineage.then(stage.name)
    return lineage


def _origin(vectors: WordVectors) -> dict[str, object]:
    """The origin of the vectors, with the hashes of all intermediate steps."""
    ancestors = [*vectors.origin.get("ancestors", ()), vectors.content_hash]
    return {
        **vectors.origin,
        "debiased_from": vectors.content_hash,
        "ancestors": list(dict.fromkeys(ancestors)),
    }


# A space after an eraser, for spaces that compute vectors on request.


class ErasedSpace:
    """Any space whose vectors pass through an eraser on access."""

    def __init__(self, space: Space, eraser: Eraser) -> None:
        self.space, self.eraser = space, eraser
        self.name = ".".join((space.name, *(stage.name for stage in eraser.stages)))
        self.dim = eraser.dim_out

    @property
    def content_hash(self) -> str:
        """A hash of the space's own hash and of the eraser."""
        parts = [self.space.content_hash, str(self.eraser)]
        if (affine := self.eraser.affine) is not None:
            parts += [hashlib.sha256(part.tobytes()).hexdigest() for part in affine]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def lookup(self, items: Sequence[str], case: str = "lower") -> Found:
        """The lookup of the original space."""
        return self.space.lookup(items, case)

    def rows(self, items: Sequence[str]) -> Matrix:
        """The vectors of items after the eraser."""
        return self.eraser.apply(self.space.rows(items))

    def __repr__(self) -> str:
        return f"<ErasedSpace {self.name} ({self.dim} dimensions)>"
