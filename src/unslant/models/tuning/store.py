"""Where tuned models are kept on a machine: each made once, by one process, within a bound."""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from unslant.core.errors import OutputError, UnslantError
from unslant.core.folders import cache_folder, own_folder

MOST_BYTES = 16 << 30
"""How much the tuned models of a machine may take; those used least recently go first."""
Made = TypeVar("Made")


def kept_folder(
    inputs: Mapping[str, Any],
    *,
    make: Callable[[Path, Path], object],
    read: Callable[[Path], Made],
    most_bytes: int = MOST_BYTES,
) -> Made:
    """What ``read`` finds in the folder of these inputs, which are everything it depends on.

    ``make`` is given the folder to make and a file for its checkpoint. Other processes on this
    machine wait for it. A folder that ``read`` refuses is made anew.
    """
    place = _folder()
    target = place / hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:24]
    with _alone(target):
        if target.exists():
            try:
                os.utime(target)
                return read(target)
            except (UnslantError, FileNotFoundError):  # damaged, or the cache was just cleared
                shutil.rmtree(target, ignore_errors=True)
        for partial in place.glob(f".{target.name}-*.partial"):  # what a kill left
            shutil.rmtree(partial, ignore_errors=True)
        checkpoint = target.with_suffix(".checkpoint")
        make(target, checkpoint)
        checkpoint.unlink(missing_ok=True)
        _shrink(place, most_bytes, target)
        return read(target)


def _folder() -> Path:
    folder = cache_folder() / "tunings"
    try:
        own_folder(folder.parent)
        own_folder(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error
    return folder


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """One process at a time; the system ends the wait if the one that works is killed."""
    try:
        lock = target.with_suffix(".lock").open("wb")
    except OSError as error:
        raise _unwritable(target.parent, error) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _unwritable(folder: Path, error: OSError) -> OutputError:
    return OutputError(
        f"Cannot write in {folder}: {error.strerror}. Set UNSLANT_CACHE to a folder that takes "
        f"the models that are trained."
    )


def _shrink(place: Path, most_bytes: int, but: Path) -> None:
    """Remove the folders that were used least recently, and are not in use."""
    found = []
    for folder in place.iterdir():
        with suppress(FileNotFoundError):  # another process may be removing it
            if folder.is_dir() and not folder.name.startswith("."):
                size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
                found.append((folder.stat().st_mtime_ns, size, folder))
    total = sum(size for _, size, _ in found)
    for _, size, folder in sorted(found):
        if total <= most_bytes:
            return
        if folder != but and _removed(folder):
            total -= size


def _removed(folder: Path) -> bool:
    with folder.with_suffix(".lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        shutil.rmtree(folder, ignore_errors=True)
        return True
