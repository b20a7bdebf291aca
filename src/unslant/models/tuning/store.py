"""Where tuned models are kept on a machine: each made once, by one process, within a bound."""

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from unslant.core.errors import UnslantError
from unslant.core.file_locks import hold
from unslant.core.shared_folder import alone, name_of_inputs, shared_folder

MOST_BYTES = 16 << 30
"""How much the tuned models of a machine may take; those used least recently go first."""
HOLDS = "the models that are trained"
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
    place = shared_folder("tunings", HOLDS)
    target = place / name_of_inputs(inputs)
    with alone(target, HOLDS):
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
            hold(lock.fileno(), wait=False)
        except BlockingIOError:
            return False
        shutil.rmtree(folder, ignore_errors=True)
        return True
