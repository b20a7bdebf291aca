"""A folder of the cache that processes of one machine share, and how they take turns in it."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unslant.core.errors import OutputError
from unslant.core.file_locks import hold
from unslant.core.folders import cache_folder, own_folder


def shared_folder(name: str, holds: str) -> Path:
    """The folder of that name in the cache; ``holds`` says what it is for if it cannot be had."""
    folder = cache_folder() / name
    try:
        own_folder(folder.parent)
        own_folder(folder)
    except OSError as error:
        raise _unwritable(folder, holds, error) from error
    return folder


def name_of_inputs(inputs: Mapping[str, Any]) -> str:
    """A short hash of everything a file depends on."""
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:24]


@contextmanager
def alone(target: Path, holds: str) -> Iterator[None]:
    """One process at a time; the system ends the wait if the one that works is killed."""
    try:
        lock = target.with_suffix(".lock").open("wb")
    except OSError as error:
        raise _unwritable(target.parent, holds, error) from error
    with lock:
        hold(lock.fileno(), wait=True)
        yield


def _unwritable(folder: Path, holds: str, error: OSError) -> OutputError:
    return OutputError(
        f"Cannot write in {folder}: {error.strerror}. Set UNSLANT_CACHE to a folder that takes "
        f"{holds}."
    )
