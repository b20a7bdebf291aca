"""Which format a file is, by its bytes; what it is called does not matter."""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from unslant.core.errors import DamagedFileError, FileFormatError, UnsafeFileError
from unslant.core.files import Progress
from unslant.core.lineage import name_of_file
from unslant.numerics.decimals import DECIMAL
from unslant.vectors.blocks import Reading
from unslant.vectors.formats import npz, safetensors, text, word2vec_binary
from unslant.vectors.formats.compressed import compression_of, unpack, zip_members
from unslant.vectors.formats.layout import BOM, header_of
from unslant.vectors.formats.refused import refuse_known

_HEAD = 1 << 16


@dataclass(frozen=True)
class Detected:
    """A file whose format is known."""

    path: Path
    format: str
    compression: str | None = None
    member: str | None = None

    @property
    def name(self) -> str:
        """What the vectors are called after their file."""
        return name_of_file(self.member.rsplit("/", 1)[-1] if self.member else self.path.name)

    @property
    def shown(self) -> str:
        """The file as messages name it."""
        return f"{self.path}/{self.member}" if self.member else str(self.path)

    def open(self) -> tuple[BinaryIO, int | None]:
        """The bytes of the vectors, and how many there are where that is known."""
        if self.compression:
            return unpack(self.path, self.compression, self.member), None
        return self.path.open("rb"), self.path.stat().st_size


def detect(path: str | Path) -> Detected:
    """Find out what a file is; a member of a zip archive is named like ``a.zip/b.txt``."""
    path, member = _archive_and_member(Path(path))
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    if not head:
        raise FileFormatError(f"{path} is empty.")
    refuse_known(head, str(path))
    compression = compression_of(head)
    if compression == "zip":
        names = zip_members(path)
        if any(name.endswith(".pkl") for name in names):
            raise UnsafeFileError(
                f"{path} is a PyTorch or similar file with a pickle inside, which runs code when "
                f"opened, so it was not. Save the words and vectors as text or npz."
            )
        if names and all(name.endswith(".npy") for name in names):
            return Detected(path, "npz")
        if member is None and len(names) == 1:
            member = names[0]
    if compression:
        with unpack(path, compression, member) as stream:
            head = stream.read(_HEAD)
        shown = Detected(path, "", compression, member).shown
        if compression_of(head):
            raise UnsafeFileError(f"{shown} is packed twice. Unpack it once and try again.")
        refuse_known(head, shown)
        return Detected(path, _text_or_binary(head, shown), compression, member)
    if safetensors.looks_like(head, path.stat().st_size):
        return Detected(path, "safetensors")
    return Detected(path, _text_or_binary(head, str(path)))


def read(
    detected: Detected, stream: BinaryIO, size: int | None, progress: Progress | None
) -> Reading:
    """The blocks of an opened file."""
    if detected.format == "npz":
        return npz.read(detected.path)
    if detected.format == "word2vec binary":
        return word2vec_binary.read(stream, detected.shown, size, progress)
    return text.read(stream, detected.shown, size, progress)


def _archive_and_member(path: Path) -> tuple[Path, str | None]:
    if path.is_dir():
        raise FileFormatError(f"{path} is a folder. Name a file of vectors in it.")
    if path.exists():
        return path, None
    for parent in path.parents:
        if parent.is_file():
            return parent, path.relative_to(parent).as_posix()
    raise FileFormatError(f"There is no file {path}. Check the path; nothing was read.")


def _text_or_binary(head: bytes, path: str) -> str:
    header = header_of(head)
    if header is None or head.startswith(BOM):
        if b"\x00" in head[:4096]:
            raise FileFormatError(
                f"{path} is not text and of no known kind. Expected GloVe, word2vec or fastText "
                f"vectors, safetensors or npz."
            )
        return "text"
    body = head[head.index(b"\n") + 1 :]
    line = body.split(b"\n", 1)[0]
    if header[1] < 1 or header[0] < 1:
        raise DamagedFileError(
            f"{path} line 1: the header says {header[0]:,} words of {header[1]:,} numbers. Both "
            f"must be at least 1; the file is damaged or of another format."
        )
    fields = line.rstrip().split(b" ")[1:]
    numbers = sum(map(bool, map(DECIMAL.match, fields)))
    return "text" if fields and 2 * numbers >= len(fields) else "word2vec binary"
