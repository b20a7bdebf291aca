"""One run at a time in a folder."""

import errno
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from unslant.core.errors import OutputError

_NO_LOCKS_HERE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold the lock ``path``, or say who does; it opens by itself when its holder ends or dies.

    Some file systems of clusters have no locks. There it is not held: files that are written at
    once stay whole even so, and two runs would merely do some work twice.
    """
    with _opened(path) as stream:
        try:
            _hold(stream.fileno())
        except OSError as error:
            if error.errno not in _NO_LOCKS_HERE:
                stream.seek(0)
                holder = stream.read(200).decode(errors="replace").strip() or "another process"
                raise OutputError(
                    f"Another run is at work on {what} ({holder}). Wait until it ends, or choose "
                    f"another folder."
                ) from error
        with suppress(OSError):  # a full disk; the lock holds without its text
            stream.truncate(0)
            stream.write(f"process {os.getpid()} on {platform.node()}\n".encode())
        yield


def _opened(path: Path) -> FileIO:
    try:
        return path.open("a+b", buffering=0)
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {error.strerror}.") from error


if sys.platform == "win32":
    import msvcrt

    def _hold(handle: int) -> None:
        os.lseek(handle, 1 << 20, os.SEEK_SET)  # past the text, which others may read
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _hold(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
