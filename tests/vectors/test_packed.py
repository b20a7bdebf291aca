"""Packed files, archives, and files that are something else altogether."""

import bz2
import gzip
import lzma
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.core.errors import DamagedFileError, FileFormatError, UnsafeFileError
from unslant.vectors import load
from unslant.vectors.save import save

TEXT = b"".join(b"w%d %d.5 -0.25\n" % (n, n) for n in range(500))
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
}


@pytest.mark.parametrize("packer", PACKERS)
def test_packed_text_and_binary_are_read(tmp_path: Path, packer: str) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_bytes(TEXT)
    expected = load(plain, cache=False)
    for name in ("v.txt", "v.vec", "v.bin"):
        content = save(expected, tmp_path / name).read_bytes()
        packed = tmp_path / f"{name}.{packer}"
        packed.write_bytes(PACKERS[packer](content))
        loaded = load(packed, cache=False)
        assert loaded.content_hash == expected.content_hash
        assert loaded.name == "v"


def glove_zip(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        archive.writestr("glove.6B.2d.txt", TEXT)
        archive.writestr("folder/glove.6B.1d.txt", b"a 0.5\nb 1.5\n")
    return path


def test_a_member_of_a_zip_archive_is_named_behind_it(tmp_path: Path) -> None:
    path = glove_zip(tmp_path / "glove.zip")
    two, one = load(path / "glove.6B.2d.txt"), load(f"{path}/folder/glove.6B.1d.txt")
    assert (two.name, len(two), two.dim) == ("glove.6B.2d", 500, 2)
    assert (one.name, len(one), one.dim) == ("glove.6B.1d", 2, 1)
    assert one.content_hash != two.content_hash
    assert load(f"{path}/folder/glove.6B.1d.txt").content_hash == one.content_hash


def test_a_zip_archive_of_several_files_asks_which_one(tmp_path: Path) -> None:
    path = glove_zip(tmp_path / "glove.zip")
    with pytest.raises(
        FileFormatError, match=r"contains 2 files \(glove.*Name the one.*glove\.zip/glo"
    ):
        load(path)
    with pytest.raises(FileFormatError, match=r"contains no file called x\.txt\. It has: glove"):
        load(path / "x.txt")
    with pytest.raises(FileFormatError, match="contains no file called folder"):
        load(path / "folder")


def test_a_zip_archive_of_one_file_beside_a_folder_is_that_file(tmp_path: Path) -> None:
    path = tmp_path / "one.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.mkdir("folder")
        archive.writestr("folder/v.txt", TEXT)
    assert len(load(path)) == 500


def test_a_member_without_a_name_is_none(tmp_path: Path) -> None:
    path = tmp_path / "one.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("v.txt", TEXT)
    path.write_bytes(path.read_bytes().replace(b"v.txt", b"\x00.txt"))
    with pytest.raises(FileFormatError, match=r"contains 0 files \(nothing\)"):
        load(path)


def test_an_empty_zip_archive_is_refused(tmp_path: Path) -> None:
    zipfile.ZipFile(tmp_path / "a.zip", "w").close()
    with pytest.raises(FileFormatError, match=r"contains 0 files"):
        load(tmp_path / "a.zip")


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("cut", [40, -1])
def test_a_packed_file_that_is_cut_is_refused(tmp_path: Path, packer: str, cut: int) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(PACKERS[packer](TEXT)[:cut])
    with pytest.raises(
        DamagedFileError, match=r"cannot be decompressed completely.*download it again"
    ):
        load(path, cache=False)


def test_no_file_stays_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for packer, pack in PACKERS.items():
        path = tmp_path / f"a.{packer}"
        path.write_bytes(pack(TEXT))
        load(path, cache=False)
        path.write_bytes(pack(TEXT)[:-5])
        with pytest.raises(DamagedFileError):
            load(path, cache=False)
    load(glove_zip(tmp_path / "a.zip") / "glove.6B.2d.txt", cache=False)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# Names, places and kinds ----------------------------------------------------------------------


def test_a_folder_a_missing_file_an_empty_file_and_a_pipe_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    os.mkfifo(tmp_path / "pipe")
    for path, message in {
        tmp_path: "is a folder",
        tmp_path / "none.txt": "There is no file",
        tmp_path / "empty.txt": "is empty",
        tmp_path / "pipe": "is a pipe or device",
        tmp_path / ("x" * 5000): "Cannot read .*File name too long",
        tmp_path / "empty.txt" / "member": "is empty",
    }.items():
        with pytest.raises(FileFormatError, match=message):
            load(path)


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(TEXT)
    (tmp_path / "link.vec").symlink_to(tmp_path / "real.txt")
    assert load(tmp_path / "link.vec").name == "link"
    (tmp_path / "lost.vec").symlink_to(tmp_path / "gone.txt")
    with pytest.raises(FileFormatError, match="There is no file"):
        load(tmp_path / "lost.vec")


@pytest.mark.parametrize(
    ("head", "message", "error"),
    [
        (b"\x89HDF\r\n\x1a\n", "HDF5", FileFormatError),
        (b"\x93NUMPY\x01\x00", "bare numpy array", FileFormatError),
        (b"\xba\x16\x4f\x2f", "fastText model", FileFormatError),
        (b"x" * 257 + b"ustar\x0000", "tar archive", FileFormatError),
        (b"x" * 257 + b"ustar  \x00", "tar archive", FileFormatError),
        ("a 0.5 0.5\n".encode("utf-16"), "UTF-16 text. Convert it", FileFormatError),
        (bytes(100), "its format is unknown. Expected", FileFormatError),
        (gzip.compress(gzip.compress(TEXT, mtime=0), mtime=0), "compressed twice", UnsafeFileError),
        (gzip.compress(b"x" * 257 + b"ustar\x0000", mtime=0), "tar archive", FileFormatError),
    ],
)
def test_other_kinds_of_file_are_recognised_and_refused(
    tmp_path: Path, head: bytes, message: str, error: type[Exception]
) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(head if head.startswith(b"\x1f") else head + bytes(600))
    with pytest.raises(error, match=message):
        load(path)
