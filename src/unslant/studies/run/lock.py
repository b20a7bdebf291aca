"""One run at a time in a folder."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from unslant.core.errors import OutputError
from unslant.core.file_locks import hold


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold the lock ``path``, or name its holder; the system releases it when the holder ends."""
    with _opened(path) as stream:
        try:
            hold(stream.fileno(), wait=False)
        except OSError as error:
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
