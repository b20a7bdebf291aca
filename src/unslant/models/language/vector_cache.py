"""Vectors of texts kept on disk, by model, place and text; each is verified when it is read."""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import OutputError
from unslant.core.folders import cache_folder, own_folder

Matrix = NDArray[np.float32]
_AT_ONCE = 500
_SEAL_BYTES = 8


class VectorCache:
    """One SQLite file; a vector whose seal does not fit its key is computed again."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_folder() / "texts" / "vectors.sqlite"
        own_folder(self.path.parent)

    def get(self, space: str, texts: Sequence[str], dim: int) -> dict[str, Matrix]:
        """The known vectors of texts in a space."""
        keys = {_key(space, text): text for text in texts}
        found: dict[str, Matrix] = {}
        wanted = list(keys)
        with self._opened() as connection:
            for start in range(0, len(wanted), _AT_ONCE):
                part = wanted[start : start + _AT_ONCE]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, value FROM vectors WHERE key IN ({marks})"  # noqa: S608
                for key, value in connection.execute(query, part):
                    if not isinstance(value, bytes):
                        continue
                    body, seal = value[:-_SEAL_BYTES], value[-_SEAL_BYTES:]
                    if len(body) == 4 * dim and seal == _seal(key, body):
                        found[keys[key]] = np.frombuffer(body, dtype="<f4")
        return found

    def put(self, space: str, texts: Sequence[str], rows: Matrix) -> None:
        """Keep the vectors of texts."""
        entries = []
        for text, row in zip(texts, rows, strict=True):
            key, body = _key(space, text), np.asarray(row, dtype="<f4").tobytes()
            entries.append((key, body + _seal(key, body)))
        with self._opened() as connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", entries)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=60)) as connection, connection:
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, value BLOB) "
                    "WITHOUT ROWID"
                )
                yield connection
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter by damaged names in it
            raise OutputError(
                f"The cache {self.path} cannot be used ({error}). Remove the file, or work without "
                f"it ([[cache=False|--no-cache]])."
            ) from error


def _key(space: str, text: str) -> bytes:
    return hashlib.sha256(f"{space}\n{text}".encode(errors="surrogatepass")).digest()


def _seal(key: bytes, body: bytes) -> bytes:
    return hashlib.sha256(key + body).digest()[:_SEAL_BYTES]
