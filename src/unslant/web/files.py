"""Files that were made for downloading; those made first go where there are too many."""

import secrets
import threading
from collections.abc import Callable
from pathlib import Path

from unslant.web.results import Written

MOST_FILES = 6
MOST_BYTES = 4 << 30
"""The file made last is kept whatever its size."""


class Files:
    """The files of a server, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sizes: dict[Path, int] = {}
        self._lock = threading.Lock()

    def written(self, name: str, ending: str, write: Callable[[Path], None]) -> Written:
        """Write a file under a name that nobody can guess, and make room for it afterwards."""
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
