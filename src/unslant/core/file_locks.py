"""Locks on open files: one process holds one, and the system releases it when that process ends."""

import errno
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unslant.core.errors import OutputError
from unslant.core.files import cache_folder, own_folder

_NO_LOCKS_HERE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_PAST_THE_TEXT = 1 << 20
"""Windows locks byte ranges against reading too, so the lock is beyond the end of the file."""
_RETRY_SECONDS = 0.1


def hold(handle: int, *, wait: bool) -> None:
    """Lock an open file until it is closed.

    Without ``wait``, a lock that another process holds raises BlockingIOError. Some file systems
    of clusters have no locks. There nothing is held: files are still written atomically, and
    two processes would merely do some work twice.
    """
    # The modules are imported here because each system has only one of them.
    if sys.platform == "win32":
        import msvcrt

        while True:
            os.lseek(handle, _PAST_THE_TEXT, os.SEEK_SET)
            try:
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            except PermissionError as error:
                if not wait:
                    raise BlockingIOError(error.errno, error.strerror) from error
                time.sleep(_RETRY_SECONDS)
            else:
                return
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno not in _NO_LOCKS_HERE:
            raise


# A folder of the cache that processes of one machine share, and how they take turns in it.


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
