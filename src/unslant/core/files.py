"""Files that are written completely or not at all, and hashes that identify them."""

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
from unslant.core.folders import is_in_cache

Progress = Callable[[str, int, int], None]
"""Called with the current activity, the bytes done and the total bytes (0 if unknown)."""

_HASHED_BYTES = 1 << 18


@dataclass(frozen=True)
class Fingerprint:
    """File system metadata; equal fingerprints mean that the file has not been touched."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    device: int

    @classmethod
    def of(cls, path: Path | int) -> "Fingerprint":
        """The current fingerprint of the file at a path, or of an open one."""
        stat = os.fstat(path) if isinstance(path, int) else path.stat()
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, stat.st_dev)


def sha256_of_file(path: Path, progress: Progress | None = None) -> str:
    """The SHA-256 of a file's bytes, read in blocks."""
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    # One buffer that stays in the processor's cache; fresh ones cost a third of the hash.
    buffer = memoryview(bytearray(_HASHED_BYTES))
    with path.open("rb", buffering=0) as stream:
        while count := stream.readinto(buffer):
            digest.update(buffer[:count])
            done += count
            if progress:
                progress("Hashing", done, total)
    return digest.hexdigest()


@contextmanager
def hashed_meanwhile(path: Path) -> Iterator[Callable[[], str]]:
    """The SHA-256 of a file, computed on a separate thread while the file is read."""
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


@dataclass
class Partial:
    """A file without a final name yet, in its target folder."""

    stream: BinaryIO
    target: Path | None = None


@contextmanager
def atomic_write(path: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A binary stream whose content appears at ``path`` atomically, or not at all.

    The bytes go to a temporary file next to the target, are flushed to disk and then moved into
    place. A target that is a link remains one; a target that exists keeps its mode.
    In the cache folder a link is replaced and not followed, and files are private, because a
    link there that this program did not make could lead to any file.
    """
    target = path if is_in_cache(path) else Path(os.path.realpath(path))
    with partial_file(target.parent, target.name, durable=durable, shown=path) as partial:
        yield partial.stream
        partial.target = target


@contextmanager
def partial_file(
    folder: Path, name: str, *, durable: bool = True, shown: Path | None = None
) -> Iterator[Partial]:
    """A file to write to, which becomes its ``target`` at the end if one has been set."""
    shown = shown or folder
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name[:40]}-", suffix=".partial")
    except OSError as error:
        raise OutputError(f"Cannot write {shown}: {error.strerror}.") from error
    try:
        with os.fdopen(handle, "w+b") as stream:
            partial = Partial(stream)
            yield partial
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
        if partial.target is not None:
            if not is_in_cache(partial.target):
                Path(temporary).chmod(_mode_for(partial.target))
            Path(temporary).replace(partial.target)
            if durable:
                _sync_folder(folder)
    except OSError as error:
        raise OutputError(
            f"Cannot write {shown}: {error.strerror}. The previous content is unchanged."
        ) from error
    finally:
        Path(temporary).unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file as UTF-8, completely or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, completely or not at all."""
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
