"""Files shared by cells: made once per machine, kept in one folder of bounded size."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from unslant.core.errors import UnslantError
from unslant.core.file_locks import hold
from unslant.core.shared_folder import alone, name_of_inputs, shared_folder
from unslant.studies.run.threads import threads_as_before

HOLDS = "what studies keep"
Made = TypeVar("Made")


def made_once(
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
        with threads_as_before():  # a file's content must not depend on the number of threads
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
