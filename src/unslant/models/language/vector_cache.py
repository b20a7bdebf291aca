"""Vectors of texts kept on disk, by model, place and text; each is verified when it is read."""

import hashlib
import math
import os
import sqlite3
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import numpy as np

from unslant.core.errors import UnslantError, UnslantWarning
from unslant.core.folders import cache_folder, own_folder
from unslant.core.types import Matrix

Item = TypeVar("Item")
MOST_MEGABYTES = 4096
"""How large the file may become; see ``UNSLANT_TEXTS_MB``."""
_AT_ONCE = 500
_KEPT_SHARE = 0.9
"""So much of the bound is left when it is reached, so that not every batch has to remove some."""
_SEAL_BYTES = 8
_TABLE = (
    # Both count only before the first table: several vectors fit into a page, and removed ones
    # free their disk space at once.
    "PRAGMA page_size = 16384",
    "PRAGMA auto_vacuum = FULL",
    "CREATE TABLE IF NOT EXISTS texts (key BLOB PRIMARY KEY, value BLOB, used INTEGER)",
    "CREATE INDEX IF NOT EXISTS by_use ON texts (used)",
)


class VectorCache:
    """One SQLite file of bounded size, from which the least recently used vectors go first.

    A vector whose seal does not fit its key is computed again. A file that cannot be read or
    written costs a warning and never a measurement: the vectors are computed without it.
    """

    def __init__(self, path: Path | None = None, most_bytes: int | None = None) -> None:
        self.path = path or cache_folder() / "texts" / "vectors.sqlite"
        self.most_bytes = _most_bytes() if most_bytes is None else most_bytes
        self._is_usable = True
        self._try(lambda: own_folder(self.path.parent))

    def get(self, space: str, texts: Sequence[str], dim: int) -> dict[str, Matrix]:
        """The known vectors of texts in a space."""
        keys = {_key(space, text): text for text in texts}
        found: dict[str, Matrix] = {}

        def read() -> None:
            with self._opened() as connection:
                for part in _parts(list(keys)):
                    marks = ",".join("?" * len(part))
                    query = f"SELECT key, value FROM texts WHERE key IN ({marks})"  # noqa: S608
                    for key, value in connection.execute(query, part):
                        if not isinstance(value, bytes):
                            continue
                        body, seal = value[:-_SEAL_BYTES], value[-_SEAL_BYTES:]
                        if len(body) == 4 * dim and seal == _seal(key, body):
                            found[keys[key]] = np.frombuffer(body, dtype="<f4")
                now = time.time_ns()
                used = [(now, key) for key, text in keys.items() if text in found]
                with connection:
                    connection.executemany("UPDATE texts SET used = ? WHERE key = ?", used)

        self._try(read)
        return found

    def put(self, space: str, texts: Sequence[str], rows: Matrix) -> None:
        """Keep the vectors of texts, in place of those that were used least recently."""

        def write() -> None:
            now = time.time_ns()
            entries = []
            for text, row in zip(texts, rows, strict=True):
                key, body = _key(space, text), np.asarray(row, dtype="<f4").tobytes()
                entries.append((key, body + _seal(key, body), now))
            with self._opened() as connection:
                for part in _parts(entries):
                    with connection:
                        connection.executemany(
                            "INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", part
                        )
                        self._shrink(connection)

        self._try(write)

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Remove what was used least recently until the file is small enough."""
        while (taken := _bytes_taken(connection)) > self.most_bytes:
            [count] = connection.execute("SELECT COUNT(*) FROM texts").fetchone()
            if not count:
                return
            excess = taken - _KEPT_SHARE * self.most_bytes
            connection.execute(
                "DELETE FROM texts WHERE key IN (SELECT key FROM texts ORDER BY used LIMIT ?)",
                (math.ceil(excess / (taken / count)),),
            )

    def _opened(self) -> "closing[sqlite3.Connection]":
        connection = sqlite3.connect(self.path, timeout=60)
        try:
            for statement in _TABLE:
                connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return closing(connection)

    def _try(self, use: Callable[[], None]) -> None:
        """Use the file, unless it cannot be used, now and from now on."""
        if not self._is_usable:
            return
        try:
            use()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:  # the last by damaged names
            self._is_usable = False
            reason = getattr(error, "strerror", None) or error
            warnings.warn(
                f"The cache {self.path} cannot be used ({reason}), so texts are encoded without "
                f"it. Remove the file, make room, or set UNSLANT_CACHE to another folder.",
                UnslantWarning,
                stacklevel=3,
            )


def _bytes_taken(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _most_bytes() -> int:
    chosen = os.environ.get("UNSLANT_TEXTS_MB", str(MOST_MEGABYTES))
    if not chosen.isdecimal() or not int(chosen):
        raise UnslantError(
            f"UNSLANT_TEXTS_MB is the largest size of the cache of texts in MB, such as "
            f'{MOST_MEGABYTES}, not "{chosen[:40]}".'
        )
    return int(chosen) << 20


def _parts(items: list[Item]) -> list[list[Item]]:
    return [items[start : start + _AT_ONCE] for start in range(0, len(items), _AT_ONCE)]


def _key(space: str, text: str) -> bytes:
    return hashlib.sha256(f"{space}\n{text}".encode(errors="surrogatepass")).digest()


def _seal(key: bytes, body: bytes) -> bytes:
    return hashlib.sha256(key + body).digest()[:_SEAL_BYTES]
