"""Files that are written completely or not at all, and hashes that identify them."""

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import BinaryIO

from unslant.core.errors import OutputError

# The folders that Unslant writes to or reads from.

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """The folder for everything that can be rebuilt or downloaded; see ``UNSLANT_CACHE``."""
    if chosen := os.environ.get("UNSLANT_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "unslant"
    except RuntimeError as error:
        raise OutputError(
            "There is no home folder for the cache: HOME is not set and this user has none. "
            "Set HOME, or set UNSLANT_CACHE to your own folder."
        ) from error


def is_in_cache(path: Path) -> bool:
    """Whether a file belongs to the cache folder by its name, without following links."""
    try:
        folder = cache_folder()
    except OutputError:  # without a cache nothing is in it
        return False
    plain, cache = (os.path.normpath(one.absolute()) for one in (path, folder))
    return Path(plain).is_relative_to(cache)


def own_folder(folder: Path) -> None:
    """Make sure that a folder exists and that only this user can put anything into it.

    Only this user can access a new folder. A link, another user's folder and a folder shared by
    all users are refused: anyone who can write there decides what is loaded from it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name != "posix":
        return
    facts = folder.lstat()
    if stat.S_ISLNK(facts.st_mode):
        raise _unsafe(folder, "it is a symbolic link")
    if facts.st_uid != os.geteuid():
        raise _unsafe(folder, "it belongs to another user")
    if facts.st_mode & stat.S_ISVTX:
        raise _unsafe(folder, "all users share it")
    if facts.st_mode & _OTHERS_MAY_WRITE:
        folder.chmod(stat.S_IMODE(facts.st_mode) & ~_OTHERS_MAY_WRITE)


def _unsafe(folder: Path, reason: str) -> OutputError:
    return OutputError(
        f"{folder} is not safe as a cache folder: {reason}. Set UNSLANT_CACHE to your own folder."
    )


def data_folder() -> Path | None:
    """The data folder set in ``UNSLANT_DATA``, if any."""
    chosen = os.environ.get("UNSLANT_DATA")
    return Path(chosen) if chosen else None


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
