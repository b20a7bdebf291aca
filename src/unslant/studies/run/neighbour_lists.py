"""Nearest neighbours in a space, found once on each machine for all measures that ask for them."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unslant.core.errors import OutputError
from unslant.core.version import __version__
from unslant.numerics.neighbours import Lists, Matrix, Progress, Rows, query_blocks, top_cosines
from unslant.studies.run.machine_cache import made_once
from unslant.studies.run.neighbour_file import ListFile, write_lists


@dataclass(frozen=True)
class KeptNeighbours:
    """Gives what :func:`top_cosines` gives, from a file after the first time.

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
            found = made_once(depends_on, self.most_bytes, make=make, read=read)
        except OutputError:  # a full disk costs time, and no number
            return top_cosines(unit_rows, queries, width, progress)
        return found.blocks(places, None if is_told else progress)


def _sha256(array: Matrix | Rows) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
