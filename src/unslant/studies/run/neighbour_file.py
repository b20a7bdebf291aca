"""Lists of neighbours in a file: written block by block, sealed, and read in the same blocks.

A safetensors file of ``rows`` (int32) and ``cosines`` (float32), one list a line. Its header has
the SHA-256 of the blocks in their order, so a changed bit is noticed before a number is made of it.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from unslant.core.errors import DamagedFileError
from unslant.core.files import atomic_write
from unslant.numerics.neighbours import Lists, Progress

_SEAL = "sha256 of the blocks"
_HEADER_BYTES = 512


def write_lists(path: Path, blocks: Iterable[Lists], queries: int, k: int) -> None:
    """Write the lists of all queries, k neighbours each, as they come."""
    digest, size = hashlib.sha256(), 4 * queries * k
    # Not flushed to the disk: what a power cut spoils breaks its seal and is computed anew.
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
