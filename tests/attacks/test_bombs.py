"""Archives that unpack to far too much or to the wrong place, and lines without an end."""

import bz2
import gzip
import io
import lzma
import os
import random
import re
import stat
import struct
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from unslant.core.errors import DamagedFileError, FileFormatError, UnsafeFileError, UnslantError
from unslant.core.files import cache_folder
from unslant.vectors import load
from unslant.vectors.load import diagnose

MIB = 1 << 20
LINE = b"a 0.5 0.25\n"
TEXT = b"".join(b"w%d %d.5 -0.25\n" % (n, n) for n in range(50))


def zipped(content: bytes, name: str = "vectors.txt", packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", packing) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


PACKERS: list[Callable[[bytes], bytes]] = [
    gzip.compress, lzma.compress, bz2.compress, zipped
]  # fmt: skip


@pytest.fixture
def peak() -> Iterator[Callable[[], int]]:
    """The most memory held since the test began, as Python and numpy report it."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


def files_below(folder: Path) -> dict[str, int]:
    return {
        str(p.relative_to(folder)): p.lstat().st_size for p in folder.rglob("*") if not p.is_dir()
    }


# Bombs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("cache", [True, False])
def test_a_bomb_of_valid_lines_is_stopped(
    tmp_path: Path, pack: Callable[[bytes], bytes], cache: bool, peak: Callable[[], int]
) -> None:
    path = tmp_path / "bomb.txt"
    packed = pack(LINE * (6 * MIB // len(LINE)))
    path.write_bytes(packed)
    assert len(packed) * 100 < 6 * MIB
    tracemalloc.reset_peak()
    begun = time.perf_counter()
    with pytest.raises(
        UnsafeFileError, match=r"more than 50 times its size.*Decompress it yourself"
    ):
        load(path, cache=cache)
    assert time.perf_counter() - begun < 2
    assert peak() < 100 * MIB
    assert files_below(tmp_path) == {"bomb.txt": len(packed)} | {
        name: size for name, size in files_below(tmp_path).items() if name.startswith("cache/seen/")
    }
    assert not diagnose(path).is_sound


@pytest.mark.parametrize("pack", PACKERS)
def test_a_bomb_of_zeros_is_no_vectors_at_all(
    tmp_path: Path, pack: Callable[[bytes], bytes], peak: Callable[[], int]
) -> None:
    path = tmp_path / "bomb.txt"
    path.write_bytes(pack(bytes(20 * MIB)))
    tracemalloc.reset_peak()
    with pytest.raises(FileFormatError, match="its format is unknown"):
        load(path)
    assert peak() < 10 * MIB


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("name", ["bomb.tar", "bomb.txt"])
def test_a_bomb_in_a_tar_archive_is_refused_before_it_is_unpacked(
    tmp_path: Path, name: str, mode: Literal["w:gz", "w:bz2", "w:xz"], peak: Callable[[], int]
) -> None:
    path = tmp_path / f"{name}.{mode[2:]}"
    with tarfile.open(path, mode) as archive:
        member = tarfile.TarInfo("vectors.txt")
        member.size = 20 * MIB // len(LINE) * len(LINE)
        archive.addfile(member, io.BytesIO(LINE * (20 * MIB // len(LINE))))
    assert path.stat().st_size * 100 < member.size
    before = files_below(tmp_path)
    tracemalloc.reset_peak()
    with pytest.raises(FileFormatError, match=r"is a tar archive\. Extract it"):
        load(path)
    assert peak() < 10 * MIB
    assert {file for file in files_below(tmp_path) if not file.startswith("cache/seen/")} == set(
        before
    )


@pytest.mark.parametrize("pack", PACKERS)
def test_a_bomb_in_one_line_is_stopped(
    tmp_path: Path, pack: Callable[[bytes], bytes], peak: Callable[[], int]
) -> None:
    path = tmp_path / "bomb.txt"
    path.write_bytes(pack(TEXT + b"0.5 " * MIB))
    tracemalloc.reset_peak()
    with pytest.raises(UnsafeFileError, match="more than 50 times its size"):
        load(path)
    assert peak() < 100 * MIB


@pytest.mark.parametrize("member", ["words", "vectors"])
def test_a_bomb_in_npz_is_stopped(tmp_path: Path, member: str, peak: Callable[[], int]) -> None:
    path = tmp_path / "bomb.npz"
    words = np.array(["a" * (2 * MIB), "b"] if member == "words" else ["a", "b"])
    width = 2 if member == "words" else 2 * MIB // 8
    np.savez_compressed(path, words=words, vectors=np.zeros((2, width)))
    tracemalloc.reset_peak()
    with pytest.raises(UnsafeFileError, match="more than 50 times its size"):
        load(path)
    assert peak() < 40 * MIB


@pytest.mark.parametrize("packed", [None, 1, 2**31, 2**32 - 2])
@pytest.mark.parametrize("unpacked", [1, 100, 2**31, 2**32 - 2])
def test_a_bomb_whose_archive_lies_about_sizes_is_stopped(
    tmp_path: Path, packed: int | None, unpacked: int, peak: Callable[[], int]
) -> None:
    content = bytearray(zipped(LINE * (20 * MIB // len(LINE))))
    for magic, place in ((b"PK\x01\x02", 20), (b"PK\x03\x04", 18)):
        at = content.index(magic) + place
        true = struct.unpack_from("<I", content, at)[0]
        struct.pack_into("<II", content, at, true if packed is None else packed, unpacked)
    path = tmp_path / "bomb.zip"
    path.write_bytes(content)
    tracemalloc.reset_peak()
    begun = time.perf_counter()
    with pytest.raises((UnsafeFileError, DamagedFileError), match=r"bomb\.zip"):
        load(path)
    assert time.perf_counter() - begun < 2
    assert peak() < 100 * MIB
    assert list(cache_folder().glob("vectors/*")) == []


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_zip_unpacks_without_a_bound_are_refused(
    tmp_path: Path, method: int, peak: Callable[[], int]
) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(zipped(LINE * (6 * MIB // len(LINE)), packing=method))
    tracemalloc.reset_peak()
    with pytest.raises(
        DamagedFileError, match=r"compression method other than deflate.*Extract it with"
    ):
        load(path)
    assert peak() < MIB


def test_an_xz_file_that_asks_for_all_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_memory(*_: object) -> bytes:
        raise MemoryError

    path = tmp_path / "a.xz"
    path.write_bytes(lzma.compress(TEXT))
    monkeypatch.setattr(lzma.LZMAFile, "read", no_memory)
    with pytest.raises(
        DamagedFileError, match=r"cannot be decompressed completely \(MemoryError\)"
    ):
        load(path)


def test_vectors_that_shrink_a_lot_but_like_vectors_are_read(tmp_path: Path) -> None:
    draw = random.Random(0)
    rows = "".join(f"w{n} 0.{draw.randrange(10**6)} {'0.125 ' * 40}0.5\n" for n in range(20_000))
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(rows.encode()))
    assert 15 < len(rows) / path.stat().st_size < 50
    assert len(load(path)) == 20_000


# Archives in archives -------------------------------------------------------------------------


@pytest.mark.parametrize("inner", PACKERS)
@pytest.mark.parametrize("outer", PACKERS)
def test_an_archive_in_an_archive_is_refused(
    tmp_path: Path, inner: Callable[[bytes], bytes], outer: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "nested.txt"
    path.write_bytes(outer(inner(TEXT)))
    with pytest.raises(UnsafeFileError, match=r"is compressed twice\. Decompress it once"):
        load(path)


def test_an_archive_that_needs_a_password_is_refused(tmp_path: Path) -> None:
    content = bytearray(zipped(TEXT))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    content[6] |= 1
    path = tmp_path / "locked.zip"
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=r"password required.*Extract it with"):
        load(path)


# Names of members -----------------------------------------------------------------------------

PARTS = [
    "../",
    "..\\",
    "/",
    "\\",
    "C:\\",
    "C:",
    "\\\\server\\share\\",
    "//server/share/",
    "./../",
    "a/../../",
]
TRAVERSALS = [
    *(f"{part}escaped.txt" for part in PARTS),
    *(f"{part * 3}escaped.txt" for part in PARTS),
    *(f"{one}{other}escaped.txt" for one in PARTS[:4] for other in PARTS[4:8]),
    "a/..\\..\\escaped.txt", "..\\../escaped.txt", "..", ".", "../", "~/escaped.txt",
    "%2e%2e/escaped.txt", "..%2fescaped.txt", "....//escaped.txt", "..;/escaped.txt", "CON",
    "NUL.txt", "aux.txt", "a:b.txt", "escaped.txt:stream", "escaped.txt.", "escaped.txt ",
    "\u2024\u2024/escaped.txt", "\uff0e\uff0e/escaped.txt", "-rf", "|touch escaped.txt",
    "$(touch escaped.txt)", "`touch escaped.txt`", "file:///escaped.txt", "\x1b[2Jescaped.txt",
    "escaped\n.txt", "a" * 300 + ".txt",
]  # fmt: skip


def test_there_are_sixty_names() -> None:
    assert len(set(TRAVERSALS)) >= 60


@pytest.mark.parametrize("name", dict.fromkeys([*TRAVERSALS, "{outside}/escaped.txt"]))
@pytest.mark.parametrize("is_link", [False, True])
def test_a_member_of_any_name_writes_nothing_outside_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_link: bool
) -> None:
    home = tmp_path / "outside" / "deep" / "home"
    home.mkdir(parents=True)
    monkeypatch.chdir(home)
    monkeypatch.setenv("UNSLANT_CACHE", str(home / "cache"))
    info = zipfile.ZipInfo("x")
    info.filename = name.format(outside=tmp_path)
    if is_link:
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile("a.zip", "w") as archive:
        archive.writestr(info, b"../../escaped.txt" if is_link else TEXT)
    before = files_below(tmp_path)
    try:
        vectors = load("a.zip")
    except UnslantError as error:
        told = str(error)
        vectors = None
    else:
        told = "a.zip"
    assert told.startswith("a.zip")
    assert told.isprintable()
    if vectors is not None:
        assert not is_link
        assert len(vectors) == 50
        assert not re.search(r"[/\\:]", vectors.name)
        assert vectors.name.isprintable()
    after = files_below(tmp_path)
    new = sorted(after.keys() - before.keys())
    assert all(
        re.fullmatch(r"outside/deep/home/cache/(vectors|seen)/([0-9]+-)?[0-9a-f]{64}\.\w+", n)
        for n in new
    )
    assert {key: after[key] for key in before} == before


@pytest.mark.parametrize("asked", ["../b.txt", "..", "a/../../b.txt", "/etc/passwd", "x.txt/.."])
def test_a_member_that_is_asked_for_is_looked_for_in_the_archive_alone(
    tmp_path: Path, asked: str
) -> None:
    (tmp_path / "b.txt").write_bytes(TEXT)
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(TEXT, "x.txt"))
    with pytest.raises(FileFormatError, match="contains no file called"):
        load(f"{path}/{asked}")


# Endless lines --------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [b"", b"9 2\n", TEXT], ids=["first", "header", "later"])
@pytest.mark.parametrize("filler", [b"a", b"0.5 ", b" ", b"1", b"1 ", b"\xff"], ids=repr)
def test_a_line_of_two_hundred_megabytes_is_refused_in_little_memory(
    tmp_path: Path, before: bytes, filler: bytes, peak: Callable[[], int]
) -> None:
    path = tmp_path / "long.txt"
    block = filler * (MIB // len(filler))
    with path.open("wb") as stream:
        stream.write(before)
        for _ in range(8):  # all that is read of it, before a hole that stands for the rest
            stream.write(block)
        stream.truncate(200 * MIB)
    tracemalloc.reset_peak()
    begun = time.perf_counter()
    with pytest.raises(UnslantError, match=r"long\.txt"):
        load(path, cache=False)
    assert time.perf_counter() - begun < 2
    assert peak() < 100 * MIB


def test_a_hole_of_two_gigabytes_behind_good_lines_is_named(
    tmp_path: Path, peak: Callable[[], int]
) -> None:
    path = tmp_path / "hole.txt"
    path.write_bytes(TEXT)
    os.truncate(path, 2 << 30)
    tracemalloc.reset_peak()
    with pytest.raises(DamagedFileError, match=r"hole\.txt line 51: the line is longer than"):
        load(path, cache=False)
    assert peak() < 100 * MIB
    path.unlink()


@pytest.mark.parametrize(
    ("header", "width", "message"),
    [
        (b"", 100_000, "line 2: the line is longer than 4,194,304 bytes"),
        (b"50 2\n", 100_000, "line 1: the header says 2 numbers per word"),
        (b"", MIB, "line 1: 1,048,576 numbers. Expected at most 262,144"),
        (b"50 2\n", MIB, "line 2: 1,048,576 numbers. Expected at most 262,144"),
    ],
)
def test_a_wide_first_line_gives_no_right_to_endless_ones(
    tmp_path: Path, header: bytes, width: int, message: str, peak: Callable[[], int]
) -> None:
    path = tmp_path / "wide.txt"
    with path.open("wb") as stream:
        stream.write(header + b"a" + b" 1" * width + b"\n")
        for _ in range(16):
            stream.write(b"1 " * (MIB // 2))
    tracemalloc.reset_peak()
    with pytest.raises(UnslantError, match=re.escape(f"wide.txt {message}")):
        load(path, cache=False)
    assert peak() < 200 * MIB


def test_an_endless_line_in_a_packed_file_is_refused(
    tmp_path: Path, peak: Callable[[], int]
) -> None:
    digits = bytes(random.Random(0).choices(b"0123456789", k=8 * MIB))
    path = tmp_path / "long.txt.gz"
    path.write_bytes(gzip.compress(TEXT + digits, compresslevel=1))
    tracemalloc.reset_peak()
    with pytest.raises(DamagedFileError, match="line 51: the line is longer than"):
        load(path)
    assert peak() < 100 * MIB
