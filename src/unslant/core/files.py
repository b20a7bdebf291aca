"""Files that are whole or absent, and hashes that say which file it was."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import BinaryIO

from unslant.core.errors import OutputError

Progress = Callable[[str, int, int], None]
"""Called with what is being done, the bytes done and the bytes in all (0 where unknown)."""


@dataclass(frozen=True)
class Fingerprint:
    """What the file system says of a file; equal fingerprints mean that nobody touched it."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    device: int

    @classmethod
    def of(cls, path: Path) -> "Fingerprint":
        """The fingerprint of the file as it is now."""
        stat = path.stat()
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, stat.st_dev)


def sha256_of_file(path: Path, progress: Progress | None = None) -> str:
    """The SHA-256 of a file's bytes, read in blocks."""
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
            done += len(block)
            if progress:
                progress("Hashing", done, total)
    return digest.hexdigest()


@contextmanager
def hashed_meanwhile(path: Path) -> Iterator[Callable[[], str]]:
    """The SHA-256 of a file, computed on a thread of its own while the file is read."""
    is_over = Event()

    def stop_when_over(*_: object) -> None:
        if is_over.is_set():
            raise InterruptedError

    with ThreadPoolExecutor(1) as pool:
        hashing = pool.submit(sha256_of_file, path, stop_when_over)
        try:
            yield hashing.result
        finally:
            is_over.set()


@contextmanager
def atomic_write(path: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A binary stream whose content appears at ``path`` at once, or not at all.

    The bytes go to a temporary file beside the target, are flushed to the disk and then moved
    into place. A target that is a link keeps being one; a target that exists keeps its mode.
    """
    target = Path(os.path.realpath(path))
    try:
        handle, temporary = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name[:40]}-", suffix=".partial"
        )
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {error.strerror}.") from error
    try:
        with os.fdopen(handle, "w+b") as stream:
            yield stream
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
        Path(temporary).chmod(_mode_for(target))
        Path(temporary).replace(target)
        if durable:
            _sync_folder(target.parent)
    except OSError as error:
        raise OutputError(
            f"Cannot write {path}: {error.strerror}. What was there before is untouched."
        ) from error
    finally:
        Path(temporary).unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file as UTF-8, whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    with atomic_write(path) as stream:
        stream.write(content)


def _mode_for(target: Path) -> int:
    with suppress(FileNotFoundError):  # another process may remove it at any moment
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
