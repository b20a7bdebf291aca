"""Results of jobs: a record with the page's view of it, or a file to download."""

import json
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.record import Record
from unslant.web.view import shown

MOST_FILES = 6
MOST_BYTES = 4 << 30
"""The newest file is kept even if it exceeds the limit."""


@dataclass(frozen=True, eq=False)
class PageResult:
    """A record and the JSON of what the page shows of it."""

    record: Record
    shown: bytes


@dataclass(frozen=True, eq=False)
class Told:
    """Something for the page alone, without a record."""

    shown: bytes


@dataclass(frozen=True, eq=False)
class Written:
    """A file that was made for downloading, and the name to save it under."""

    path: Path
    name: str

    def is_there(self) -> bool:
        """Whether the file has not been removed to make room."""
        return self.path.exists()


def result_of(record: Record, **instead: Any) -> PageResult:
    """A record with what the page shows of it, drawn; parts of that may be given instead."""
    return PageResult(record, json.dumps({**shown(record), **instead}, allow_nan=False).encode())


def told(value: Mapping[str, Any]) -> Told:
    """The page's view, as JSON."""
    return Told(json.dumps(value, allow_nan=False).encode())


class Files:
    """The files of a server, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sizes: dict[Path, int] = {}
        self._lock = threading.Lock()

    def written(self, name: str, ending: str, write: Callable[[Path], None]) -> Written:
        """Write a file under an unguessable name, then evict others to stay within the limit."""
        path = self._folder / f"{secrets.token_hex(8)}{ending}"
        write(path)
        with self._lock:
            self._sizes[path] = path.stat().st_size
            while len(self._sizes) > 1 and (
                len(self._sizes) > MOST_FILES or sum(self._sizes.values()) > MOST_BYTES
            ):
                oldest = next(iter(self._sizes))
                del self._sizes[oldest]
                oldest.unlink(missing_ok=True)
        return Written(path, f"{name}{ending}")
