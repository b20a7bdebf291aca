"""The vectors available to the page, by id, and their debiased versions.

Files are those that the server was started with, and the one that was dropped onto the page last; a
request names an id, never a path. Debiased vectors are kept as long as there is room, those used
last the longest.
"""

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.concepts import Concept
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.lineage import name_of_file
from unslant.core.record import MovementFacts
from unslant.core.visible import visible
from unslant.erasers import Eraser
from unslant.methods.movement import MovementTally
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load
from unslant.web.jobs import Report

MOST_MADE = 4
MOST_MADE_BYTES = 1 << 30
_DROPPED = re.compile(r"d[0-9]+")
_GONE = "The file that was dropped here is gone. Drop it again."


@dataclass(frozen=True, eq=False, kw_only=True)
class Made:
    """Vectors after a method, with what made them and how far they moved."""

    before: WordVectors
    after: WordVectors
    eraser: Eraser
    moved: MovementFacts

    @property
    def size(self) -> int:
        """The bytes of the new matrix."""
        return 4 * len(self.after) * self.after.dim


class Spaces:
    """The built-in vectors and the given files, each loaded on first use."""

    def __init__(self, files: Sequence[str] = ()) -> None:
        self._paths: dict[str, str | None] = {"v0": None}
        self._paths |= {f"v{number}": path for number, path in enumerate(files, 1)}
        self._locks = {id: threading.Lock() for id in self._paths}
        self._loaded: dict[str, WordVectors] = {}
        self._made: dict[tuple[str, str, str], Made] = {}
        self._making = threading.Lock()
        self._dropped = ""
        self._drops = 0

    @property
    def first(self) -> str:
        """The initial choice: the first file, or the built-in vectors."""
        return "v1" if "v1" in self._paths else "v0"

    def listed(self) -> list[dict[str, Any]]:
        """The available choices, without loading anything."""
        listed = [
            {
                "id": id,
                "name": "GloVe slice" if path is None else name_of_file(Path(path).name),
                "note": "built in" if path is None else Path(path).name,
            }
            for id, path in self._paths.items()
        ]
        dropped = self._dropped
        loaded = self._loaded.get(dropped)
        if loaded is not None:
            listed.append({"id": dropped, "name": visible(loaded.name), "note": "dropped here"})
        return listed

    def add(self, vectors: WordVectors) -> str:
        """The id of vectors that were dropped onto the page, in place of those dropped before."""
        with self._making:
            old = self._dropped
            self._drops += 1
            id = f"d{self._drops}"
            self._locks[id] = threading.Lock()
            self._loaded[id] = vectors
            self._dropped = id
            self._loaded.pop(old, None)
            for key in [key for key in self._made if key[0] == old]:
                del self._made[key]
        return id

    def check(self, id: str) -> None:
        """Refuse an id that is not in the index."""
        if id in self._paths or (id and id == self._dropped):
            return
        if _DROPPED.fullmatch(id):
            raise UnslantError(_GONE)
        raise UnknownNameError("set of vectors", id, self._paths)

    def loaded(self, id: str) -> WordVectors | None:
        """The vectors of that id, if they are loaded."""
        self.check(id)
        return self._loaded.get(id)

    def load(self, id: str, report: Report | None = None) -> WordVectors:
        """The vectors of that id; loaded once."""
        self.check(id)
        with self._locks[id]:
            loaded = self._loaded.get(id)
            if loaded is None:
                if id not in self._paths:  # replaced a moment ago
                    raise UnslantError(_GONE)
                loaded = self._loaded[id] = load(self._paths[id], progress=report)
            return loaded

    def made(self, id: str, concept: Concept, chain: str) -> Made | None:
        """The vectors after a chain, if they are still in memory."""
        key = (id, concept.content_hash, chain)
        with self._making:
            kept = self._made.pop(key, None)
            if kept is not None:
                self._made[key] = kept
        return kept

    def make(self, id: str, concept: Concept, chain: str, report: Report) -> Made:
        """The vectors after a chain of methods; fitted and applied unless that was done before."""
        kept = self.made(id, concept, chain)
        if kept is not None:
            return kept
        before = self.load(id, report)
        report("Fitting", 0, 0)
        eraser = fit(chain, before, concept, progress=report)
        tally = MovementTally(before)
        after = debiased(before, eraser, report, watch=tally.add)
        kept = Made(before=before, after=after, eraser=eraser, moved=tally.result())
        with self._making:
            self._made[id, concept.content_hash, chain] = kept
            while len(self._made) > 1 and (
                len(self._made) > MOST_MADE
                or sum(item.size for item in self._made.values()) > MOST_MADE_BYTES
            ):
                del self._made[next(iter(self._made))]
        return kept
