"""Unpack a compressed file as a stream that cannot become a bomb."""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, BinaryIO, cast

from unslant.core.errors import DamagedFileError, FileFormatError, UnsafeFileError

LARGEST_RATIO = 50
"""Vectors as text shrink three- or fourfold; what shrinks fiftyfold is something else."""

_GRACE = 1 << 20

_OPENERS: dict[str, Callable[[BinaryIO], IO[bytes]]] = {
    "gzip": lambda stream: cast(IO[bytes], gzip.GzipFile(fileobj=stream, mode="rb")),
    "xz": lzma.LZMAFile,
    "bzip2": bz2.BZ2File,
}

MAGIC: dict[bytes, str] = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
}


def compression_of(head: bytes) -> str | None:
    """The name of the compression that the first bytes show."""
    return next((name for magic, name in MAGIC.items() if head.startswith(magic)), None)


class GuardedStream(io.RawIOBase):
    """Reads an unpacking stream and stops it when it yields far more than it was fed."""

    def __init__(self, unpacked: IO[bytes], consumed: Callable[[], int], path: str) -> None:
        super().__init__()
        self._unpacked, self._consumed, self._path = unpacked, consumed, path
        self._produced = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """At most ``size`` unpacked bytes."""
        try:
            data = self._unpacked.read(size)
        except (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
            raise DamagedFileError(
                f"{self._path} cannot be unpacked to its end ({error}). The file may be cut; "
                f"fetch it again."
            ) from error
        self._produced += len(data)
        if self._produced > LARGEST_RATIO * self._consumed() + _GRACE:
            raise UnsafeFileError(
                f"{self._path} unpacks to more than {LARGEST_RATIO} times its size, which vectors "
                f"never do, so unpacking was stopped. Unpack it yourself if you trust it."
            )
        return data

    def close(self) -> None:
        """Close the stream underneath too."""
        self._unpacked.close()
        super().close()


def unpack(path: Path, compression: str, member: str | None = None) -> BinaryIO:
    """The unpacked content of a compressed file; of a zip archive, of one member."""
    if compression == "zip":
        return _unpack_zip(path, member)
    raw = path.open("rb")
    unpacked = _OPENERS[compression](raw)
    return cast(BinaryIO, GuardedStream(unpacked, raw.tell, str(path)))


def zip_members(path: Path) -> list[str]:
    """The files in a zip archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            return [info.filename for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DamagedFileError(
            f"{path} is not a whole zip archive ({error}). The file may be cut; fetch it again."
        ) from error


def _unpack_zip(path: Path, member: str | None) -> BinaryIO:
    names = zip_members(path)
    if member is None and len(names) != 1:
        listed = ", ".join(names[:8]) or "nothing"
        example = f"{path}/{names[0]}" if names else "another file"
        raise FileFormatError(
            f"{path} holds {len(names):,} files ({listed}). Name the one that is meant: {example}"
        )
    name = member if member is not None else names[0]
    if name not in names:
        raise FileFormatError(f"{path} holds no file called {name}. It has: {', '.join(names[:8])}")
    archive = zipfile.ZipFile(path)
    info = archive.getinfo(name)
    try:
        opened = archive.open(info)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise DamagedFileError(f"{path}/{name} cannot be unpacked: {error}.") from error
    guarded = GuardedStream(opened, lambda: max(info.compress_size, 1), f"{path}/{name}")
    return cast(BinaryIO, guarded)
