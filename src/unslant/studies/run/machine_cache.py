"""Files shared by cells: made once per machine, kept in one folder of bounded size."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors import SafetensorError, safe_open

from unslant.core.errors import DamagedFileError, OutputError, UnslantError
from unslant.core.file_locks import alone, hold, name_of_inputs, shared_folder
from unslant.core.files import atomic_write
from unslant.core.types import Matrix
from unslant.core.version import __version__
from unslant.numerics.neighbours import Lists, Progress, Rows, query_blocks, top_cosines
from unslant.studies.run.task import threads_restored

HOLDS = "what studies keep"
Made = TypeVar("Made")


def get_or_create(
    inputs: Mapping[str, Any],
    most_bytes: int,
    *,
    make: Callable[[Path], object],
    read: Callable[[Path], Made],
) -> Made:
    """Get or create the file for these inputs, and return what ``read`` makes of it.

    The first process to need the file makes it; the others on this machine wait and read. One
    that ``read`` refuses is rebuilt. The least recently used files are removed first when the
    folder grows over its bound.
    """
    path = shared_folder("studies", HOLDS) / f"{name_of_inputs(inputs)}.safetensors"
    with alone(path, HOLDS):
        if path.exists():
            try:
                # Marks the file as recently used: most systems update access times rarely or
                # not at all.
                os.utime(path)
                return read(path)
            except (UnslantError, FileNotFoundError):  # damaged, or the cache was just cleared
                path.unlink(missing_ok=True)
        # Under the lock nobody else writes this file, so any partial is from a killed process.
        _remove_unfinished(path)
        with threads_restored():  # a file's content must not depend on the number of threads
            make(path)
        # While this file is still locked, so that it cannot be the one that is removed.
        _shrink(path.parent, most_bytes)
        return read(path)


def _remove_unfinished(path: Path) -> None:
    """Remove what killed processes left; nobody else writes this file while it is locked."""
    for partial in path.parent.glob(f".{path.name}-*.partial"):
        partial.unlink(missing_ok=True)


def _shrink(folder: Path, most_bytes: int) -> None:
    """Remove the least recently used files; a mapped file stays readable to its users."""
    files = []
    for file in folder.glob("*.safetensors"):
        with suppress(FileNotFoundError):  # another process may be removing it
            facts = file.stat()
            files.append((facts.st_mtime_ns, facts.st_size, file))
    total = sum(size for _, size, _ in files)
    for _, size, file in sorted(files):
        if total <= most_bytes:
            return
        if _removed(file):
            total -= size


def _removed(file: Path) -> bool:
    """Remove a file unless another process holds its lock."""
    with file.with_suffix(".lock").open("wb") as lock:
        try:
            hold(lock.fileno(), wait=False)
        except BlockingIOError:
            return False
        file.unlink(missing_ok=True)
        return True


# Nearest neighbours in a space, found once on each machine for all measures that ask for them.
#
# They are kept in a safetensors file of `rows` (int32) and `cosines` (float32), one list a line,
# which is written and read block by block. Its header has the SHA-256 of the blocks in their
# order, so a changed bit is detected before the file is used.

_SEAL = "blocks-sha256"
_HEADER_BYTES = 512


def write_lists(path: Path, blocks: Iterable[Lists], queries: int, k: int) -> None:
    """Write the lists of all queries, k neighbours each, as they come."""
    digest, size = hashlib.sha256(), 4 * queries * k
    # Not flushed to disk: a file damaged by a power cut fails its seal and is recomputed.
    with atomic_write(path, durable=False) as stream:
        for places, rows, cosines in blocks:
            for begin, part in ((0, rows.astype("<i4")), (size, cosines.astype("<f4"))):
                stream.seek(_HEADER_BYTES + begin + 4 * k * places.start)
                stream.write(part.data)
                digest.update(part.data)
        header = {
            "__metadata__": {_SEAL: digest.hexdigest()},
            "rows": {"dtype": "I32", "shape": [queries, k], "data_offsets": [0, size]},
            "cosines": {"dtype": "F32", "shape": [queries, k], "data_offsets": [size, 2 * size]},
        }
        room = _HEADER_BYTES - 8
        stream.seek(0)
        stream.write(room.to_bytes(8, "little") + json.dumps(header).encode().ljust(room))


@dataclass(frozen=True, eq=False)
class ListFile:
    """A file of lists, mapped; no more of it is in memory than a block."""

    rows: Any
    cosines: Any
    k: int

    @classmethod
    def of(cls, path: Path, places: Iterable[slice], k: int) -> "ListFile":
        """Open a file that has at least k neighbours for every query and an unbroken seal."""
        try:
            opened: Any = safe_open(path, framework="numpy")
            rows, cosines = opened.get_slice("rows"), opened.get_slice("cosines")
            digest = hashlib.sha256()
            for place in places:
                digest.update(rows[place].data)
                digest.update(cosines[place].data)
            is_whole = digest.hexdigest() == (opened.metadata() or {}).get(_SEAL)
            is_whole &= (rows.get_dtype(), cosines.get_dtype()) == ("I32", "F32")
            has_enough = rows.get_shape()[1] >= k
        except (SafetensorError, OSError, ValueError, IndexError) as error:
            raise DamagedFileError(
                f"{path} is not a whole file of neighbours ({error})."
            ) from error
        if not (is_whole and has_enough):
            raise DamagedFileError(f"{path} is not the file of neighbours that is needed.")
        return cls(rows, cosines, k)

    def blocks(self, places: Iterable[slice], progress: Progress | None) -> Iterator[Lists]:
        """The first k neighbours of each query, as they were before they were written."""
        total = self.rows.get_shape()[0]
        for place in places:
            rows = self.rows[place, : self.k].astype(np.int64)
            yield place, rows, self.cosines[place, : self.k].astype(np.float32)
            if progress:
                progress(place.stop, total)


@dataclass(frozen=True)
class KeptNeighbours:
    """Same result as :func:`top_cosines`, from a file after the first time.

    A file belongs to the content of the rows and of the queries, whichever vectors, concept or
    measure they came from. The nearest come first, so one of longer lists serves for shorter
    ones; one of shorter lists is replaced.
    """

    most_bytes: int

    def __call__(
        self,
        unit_rows: Matrix,
        queries: Rows,
        k: int,
        progress: Progress | None = None,
    ) -> Iterator[Lists]:
        """For blocks of queries: their places, the rows of their k nearest others, the cosines."""
        width = min(k, len(unit_rows) - 1)
        places = list(query_blocks(len(unit_rows), len(queries)))
        depends_on = {
            "rows": _sha256(unit_rows),
            "shape": unit_rows.shape,
            "queries": _sha256(queries),
            "version": __version__,
            "numpy": np.__version__,  # brings the library that multiplies
        }
        is_told = False

        def make(path: Path) -> None:
            nonlocal is_told
            is_told = True
            blocks = top_cosines(unit_rows, queries, width, progress)
            write_lists(path, blocks, len(queries), width)

        def read(path: Path) -> ListFile:
            return ListFile.of(path, places, width)

        try:
            lists = get_or_create(depends_on, self.most_bytes, make=make, read=read)
        except OutputError:  # a full disk costs time, and no number
            return top_cosines(unit_rows, queries, width, progress)
        return lists.blocks(places, None if is_told else progress)


def _sha256(array: Matrix | Rows) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
