"""Decompress a file as a stream, protected against decompression bombs."""

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, BinaryIO, cast

from unslant.core.errors import DamagedFileError, FileFormatError, UnsafeFileError
from unslant.core.visible import legible

LARGEST_RATIO = 50
"""Text vectors compress three- or fourfold; a file compressed fiftyfold is something else."""

_GRACE = 1 << 20
_PIECE = 1 << 20

_OPENERS: dict[str, Callable[[BinaryIO], IO[bytes]]] = {
    "gzip": lambda stream: cast(IO[bytes], gzip.GzipFile(fileobj=stream, mode="rb")),
    "xz": lzma.LZMAFile,
    "bzip2": bz2.BZ2File,
}

# "BZh" alone could be a word; a block or the end of the stream must follow.
MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "zip": re.compile(rb"PK(?:\x03\x04|\x05\x06)"),
}


def compression_of(head: bytes) -> str | None:
    """The name of the compression, recognised by the first bytes."""
    return next((name for name, magic in MAGIC.items() if magic.match(head)), None)


class GuardedStream(io.RawIOBase):
    """Reads a decompressing stream and stops it if it yields far more than its input."""

    def __init__(
        self, unpacked: IO[bytes], source: IO[bytes], path: str, source_start: int = 0
    ) -> None:
        super().__init__()
        self._unpacked, self._source, self._path = unpacked, source, path
        self._source_start = source_start
        self._produced = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """At most ``size`` decompressed bytes, and at most one piece of them at a time."""
        try:
            data = self._unpacked.read(_PIECE if size < 0 else min(size, _PIECE))
        except _UNPACKING_ERRORS as error:
            reason = legible(str(error), 200) or type(error).__name__
            raise DamagedFileError(
                f"{self._path} cannot be decompressed completely ({reason}). The file may be "
                f"truncated; download it again."
            ) from error
        self._produced += len(data)
        # Counted, because the sizes that an archive states can be forged.
        consumed = self._source.tell() - self._source_start
        if self._produced > LARGEST_RATIO * consumed + _GRACE:
            raise UnsafeFileError(
                f"{self._path} expands to more than {LARGEST_RATIO} times its size, which vectors "
                f"never do, so Unslant stopped. Decompress it yourself if you trust it."
            )
        return data

    def close(self) -> None:
        """Close the underlying streams too."""
        self._unpacked.close()
        self._source.close()
        super().close()


_UNPACKING_ERRORS = (
    EOFError,
    MemoryError,  # an xz file chooses how much memory it needs
    NotImplementedError,
    OSError,
    ValueError,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_up_to(stream: BinaryIO, count: int) -> bytearray:
    """``count`` bytes, or all there are; memory grows with the data read, not with ``count``."""
    data = bytearray()
    while len(data) < count and (piece := stream.read(min(count - len(data), _PIECE))):
        data += piece
    return data


def unpack(path: Path, compression: str, member: str | None = None) -> BinaryIO:
    """The decompressed content of a compressed file, or of one member of a zip archive."""
    if compression == "zip":
        return _unpack_zip(path, member)
    raw = path.open("rb")
    return cast(BinaryIO, GuardedStream(_OPENERS[compression](raw), raw, str(path)))


def zip_members(path: Path) -> list[str]:
    """The files in a zip archive."""
    with _opened_zip(path) as archive:
        names = [info.filename for info in archive.infolist()]
        return [name for name in names if name and not name.endswith("/")]


def _opened_zip(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except _UNPACKING_ERRORS as error:
        raise DamagedFileError(
            f"{path} is not a complete zip archive ({legible(str(error), 200)}). The file may be "
            f"truncated; download it again."
        ) from error


def _unpack_zip(path: Path, member: str | None) -> BinaryIO:
    names = zip_members(path)
    listed = ", ".join(legible(name, 200) for name in names[:8]) or "nothing"
    if member is None and len(names) != 1:
        example = f"{path}/{legible(names[0], 200)}" if names else "another file"
        raise FileFormatError(
            f"{path} contains {len(names):,} files ({listed}). Name the one to read: {example}"
        )
    name = member if member is not None else names[0]
    if name not in names:
        raise FileFormatError(f"{path} contains no file called {legible(name)}. It has: {listed}")
    archive, shown = _opened_zip(path), f"{path}/{legible(name, 200)}"
    source, info = archive.fp, archive.getinfo(name)
    assert source is not None, "the archive is open"
    try:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # zipfile does not limit how much one read may yield for the other methods.
            raise NotImplementedError("it uses a compression method other than deflate")
        opened = archive.open(info)
    except (*_UNPACKING_ERRORS, RuntimeError) as error:  # RuntimeError: it is encrypted
        archive.close()
        raise DamagedFileError(
            f"{shown} cannot be extracted ({legible(str(error), 200)}). Extract it with the "
            f"program that created it, or download it again."
        ) from error
    return cast(BinaryIO, GuardedStream(opened, source, shown, info.header_offset))
