"""Detect the format of a file by its content; its name does not matter."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from unslant.core.compressed import compression_of, unpack, zip_members
from unslant.core.errors import FileFormatError, UnsafeFileError
from unslant.core.files import Progress
from unslant.core.lineage import name_of_file
from unslant.core.visible import legible
from unslant.numerics.decimals import DECIMAL
from unslant.vectors.blocks import Reading
from unslant.vectors.formats import safetensors
from unslant.vectors.formats.layout import BOM, check_claim, header_of

_HEAD = 1 << 16
_SURELY_WHOLE = 4096
_VOTING_LINES = 100
_HUB_NAME = re.compile(
    r"(hf://|https?://huggingface\.co/)?(?P<name>[\w-][\w.-]*(/[\w-][\w.-]*)?)(@.*)?", re.ASCII
)
"""A text that looks like a Hugging Face model name, optionally with a place."""
_ENDINGS = (".txt", ".vec", ".bin", ".gz", ".xz", ".bz2", ".zip", ".npz", ".safetensors", ".json")

# Protocols 0 and 1 are text: an import, or a mark and soon the first memo. Neither can
# occur in a line of vectors, whatever its word: "(quote 0.1" is not a pickle.
_OLD_PICKLE = re.compile(
    rb"\A(?:[(\]}][\s\S]{0,64}?(?:p0\n|q\x00)|\(?[ci][A-Za-z_][\w.]*\n[\w.]+\n)"
)
_CONVERT = (
    "If you trust it, open it yourself and save the words and vectors as text, for example with "
    'KeyedVectors.save_word2vec_format("vectors.txt") in gensim.'
)


@dataclass(frozen=True)
class Detected:
    """A file whose format is known."""

    path: Path
    format: str
    compression: str | None = None
    member: str | None = None

    @property
    def name(self) -> str:
        """The name of the vectors, derived from their file."""
        if self.member is None:
            return name_of_file(self.path.name)
        # A member may have any name; everything before its last separator is a folder.
        last = re.split(r"[/\\:]", self.member)[-1]
        return name_of_file("".join(filter(str.isprintable, last)))

    @property
    def shown(self) -> str:
        """The file as shown in messages."""
        return f"{self.path}/{legible(self.member, 200)}" if self.member else str(self.path)

    def open(self) -> tuple[BinaryIO, int | None]:
        """The bytes of the vectors, and how many there are if known."""
        if self.compression:
            return unpack(self.path, self.compression, self.member), None
        return self.path.open("rb"), self.path.stat().st_size


def detect(path: str | Path) -> Detected:
    """Detect the format of a file; a member of a zip archive is written ``a.zip/b.txt``."""
    try:
        path, member = _archive_and_member(Path(path), str(path))
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        raise FileFormatError(f"Cannot read {path}: {error.strerror}.") from error
    if not head:
        raise FileFormatError(f"{path} is empty. Download it again.")
    # First, because the length of its header may begin like a pickle.
    if safetensors.looks_like(head, path.stat().st_size):
        return Detected(path, "safetensors")
    refuse_known(head, str(path))
    compression = compression_of(head)
    if compression == "zip":
        names = zip_members(path)
        if any(name.endswith(".pkl") for name in names):
            raise UnsafeFileError(
                f"{path} is a PyTorch or similar file that contains a pickle. Opening it could run "
                f"code, so Unslant did not open it. Save the words and vectors as text or npz."
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
            raise UnsafeFileError(f"{shown} is compressed twice. Decompress it once and try again.")
        refuse_known(head, shown)
        return Detected(path, _text_or_binary(head, shown), compression, member)
    return Detected(path, _text_or_binary(head, str(path)))


def read(
    detected: Detected, stream: BinaryIO, size: int | None, progress: Progress | None
) -> Reading:
    """The blocks of an opened file."""
    if detected.format == "npz":
        from unslant.vectors.formats import npz

        return npz.read(detected.path)
    if detected.format == "word2vec binary":
        from unslant.vectors.formats import word2vec_binary

        return word2vec_binary.read(stream, detected.shown, size, progress)
    from unslant.vectors.formats import text

    return text.read(stream, detected.shown, size, progress)


def _archive_and_member(path: Path, typed: str) -> tuple[Path, str | None]:
    if path.is_dir():
        raise FileFormatError(f"{path} is a folder. Name a vectors file in it.")
    if path.is_file():
        return path, None
    if path.exists():
        raise FileFormatError(f"{path} is a pipe or device. Save its output to a file first.")
    for parent in path.parents:
        if parent.is_file():
            return parent, path.relative_to(parent).as_posix()
    if not typed.endswith(_ENDINGS) and (hub := _HUB_NAME.fullmatch(typed)):
        name = hub["name"]
        raise FileFormatError(
            f"There is no file or folder {typed}. If {name} is a model on the Hugging Face hub: "
            f"Unslant does not download models yet, so fetch it first with: hf download {name} "
            f"--local-dir DIR, and name DIR."
        )
    if "://" in typed:  # as it was typed, because a path has no double slash
        raise FileFormatError(f"There is no file {typed}. Download it first, and name the file.")
    raise FileFormatError(f"There is no file {path}. Check the path.")


def _text_or_binary(head: bytes, path: str) -> str:
    header = header_of(head)
    if header is None or head.startswith(BOM):
        if b"\x00" in head[:4096] and not _is_mostly_numbers(head):
            raise FileFormatError(
                f"{path} is not text and its format is unknown. Expected GloVe, word2vec or "
                f"fastText vectors, safetensors or npz. If it is word2vec binary, its header (the "
                f"first line: the number of words and of dimensions) is damaged; download it again."
            )
        return "text"
    check_claim(*header, 0, None, path)
    body = head[head.index(b"\n") + 1 :]
    return "text" if _is_mostly_numbers(body) else "word2vec binary"


def _is_mostly_numbers(head: bytes) -> bool:
    """Whether most lines end in numbers, so that one bad line does not make the file binary."""
    lines = [line.rstrip(b" \r") for line in head.split(b"\n")[:_VOTING_LINES]]
    ends = [line.rsplit(b" ", 2)[1:] for line in lines if line]
    # The last number of a long head may be truncated, so the one before it counts too. A short
    # head is complete, and there the bytes of a tiny binary file could look like a number and a
    # word.
    if len(head) <= _SURELY_WHOLE:
        ends = [end[-1:] for end in ends]
    return bool(ends) and 2 * sum(any(map(DECIMAL.match, end)) for end in ends) >= len(ends)


def is_pickle(head: bytes) -> bool:
    """Whether the bytes begin like a pickle of any protocol."""
    return bool(re.match(rb"\x80[\x01-\x05]", head) or _OLD_PICKLE.match(head))


def refuse_known(head: bytes, path: str) -> None:
    """Raise an error for a file that must not or cannot be read, known by its first bytes.

    Opening a pickle can run code, and several libraries write files that contain pickles.
    """
    if is_pickle(head):
        raise UnsafeFileError(
            f"{path} is a pickle file. Opening it could run code, so Unslant did not open it. "
            f"{_CONVERT}"
        )
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileFormatError(
            f"{path} is UTF-16 text. Convert it to UTF-8, for example with "
            f"iconv -f UTF-16 -t UTF-8."
        )
    if head.startswith(b"\x89HDF\r\n\x1a\n"):
        raise FileFormatError(
            f"{path} is an HDF5 file, which does not say where its words are. Save the words and "
            f"vectors as text or npz."
        )
    if head.startswith(b"\x93NUMPY"):
        raise FileFormatError(
            f"{path} is a bare numpy array, without words. Save both with "
            f'numpy.savez("vectors.npz", words=words, vectors=matrix).'
        )
    if head.startswith(b"\xba\x16\x4f\x2f"):
        raise FileFormatError(
            f"{path} is a fastText model (.bin). Use the .vec file that comes with it, or print "
            f"the vectors with fastText's print-word-vectors."
        )
    if head[257:265] in (b"ustar\x0000", b"ustar  \x00"):
        raise FileFormatError(
            f"{path} is a tar archive. Extract it and name the vectors file inside."
        )
