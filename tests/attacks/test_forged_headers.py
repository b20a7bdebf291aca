"""A header is only a claim: no forged one gets memory, time or an unnamed error."""

import gzip
import io
import itertools
import json
import os
import re
import struct
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tallies import Tally
from unslant.core.errors import UnslantError
from unslant.core.files import cache_folder
from unslant.vectors import WordVectors, load
from unslant.vectors.formats import text
from unslant.vectors.save import save

FIXED_BUFFERS = 16 << 20  # what reading takes whatever the file: two blocks of at most 8 MiB
ROWS = [
    "0", "-1", "-5", "1", "4", "6", "300", "1000000", "2147483648", "4294967296", "1000000000000",
    "9223372036854775807", "9999999999999999999", "99999999999999999999999999", "nan", "inf",
    "1e308", "1e12", "0x5", "5.0", "5,000", "٥",
]  # fmt: skip
DIMS = [
    "0",
    "-1",
    "2",
    "4",
    "300",
    "1048577",
    "1000000000000",
    "9223372036854775807",
    "nan",
    "1e308",
]
WORDS = ["a", "b", "c", "d", "e"]
MATRIX = np.linspace(-1, 1, 15, dtype=np.float32).reshape(5, 3)


def claims() -> list[str]:
    """Headers of five words of three numbers with one or both figures forged."""
    one = [f"{rows} 3" for rows in ROWS] + [f"5 {dim}" for dim in DIMS]
    both = [f"{rows} {dim}" for rows, dim in itertools.product(ROWS[::3], DIMS[::2])]
    return [*one, *both, "3 5", "5  3", "5\t3", " 5 3", "5 3 1", "5"]


def text_with(header: str) -> bytes:
    lines = [
        f"{word} {' '.join(map(str, vector))}\n"
        for word, vector in zip(WORDS, MATRIX.tolist(), strict=True)
    ]
    return (header + "\n" + "".join(lines)).encode()


def binary_with(header: str) -> bytes:
    records = [
        word.encode() + b" " + vector.tobytes() + b"\n"
        for word, vector in zip(WORDS, MATRIX, strict=True)
    ]
    return header.encode() + b"\n" + b"".join(records)


# npz ------------------------------------------------------------------------------------------


def npy(
    header: str, data: bytes = bytes(60), *, version: int = 1, length: int | None = None
) -> bytes:
    packed = header.encode().ljust(118) + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(packed) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + packed + data


def described(descr: str = "'<f4'", shape: str = "(5, 3)", order: str = "False") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def npz_with(
    vectors: bytes, words: bytes | None = None, packing: int = zipfile.ZIP_STORED
) -> bytes:
    stream, words_stream = io.BytesIO(), io.BytesIO()
    np.save(words_stream, np.array(WORDS))
    with zipfile.ZipFile(stream, "w", packing) as archive:
        archive.writestr("words.npy", words_stream.getvalue() if words is None else words)
        archive.writestr("vectors.npy", vectors)
    return stream.getvalue()


def with_forged_sizes(content: bytes, packed: int, unpacked: int) -> bytes:
    """An archive whose directory says that every member has these sizes."""
    forged = bytearray(content)
    for place in re.finditer(b"PK\x01\x02", content):
        struct.pack_into("<II", forged, place.start() + 20, packed, unpacked)
    return bytes(forged)


def npz_files() -> Iterator[tuple[str, bytes]]:
    shapes = [
        "(1000000000000, 300)", "(5, 1000000000000)", "(5, 0)", "(0, 3)", "(-5, 3)", "(5, -3)",
        "(15,)", "()", "(5, 3, 1)", "(5, 4)", "(4, 3)", "(6, 3)", "(nan, 3)", "(1e308, 3)",
        "(5.0, 3)", "(5, 3", "(999999999999999999, 999999999999999999)", "[5, 3]", "5",
        "(99999999999999999999, 3)", "((((((((5, 3))))))))", "(" * 100, "__import__('os')",
        "(5, 10485760)",
    ]  # fmt: skip
    for shape in shapes:
        array = npy(described(shape=shape))
        yield f"shape {shape[:40]}", npz_with(array)
        yield f"packed {shape[:40]}", npz_with(array, packing=zipfile.ZIP_DEFLATED)
    types = [
        "'<f8'", "'<i4'", "'|O'", "'<U999999999'", "'<f99999999'", "'<V4'", "[('a', '<f4')]",
        "'<M8[ns]'", "'x'", "''", "None", "'<f0'", "'<f1'", "'<c8'",
    ]  # fmt: skip
    for descr in types:
        yield f"type {descr}", npz_with(npy(described(descr)))
    for words in ["'<U0'", "'<U99999999'", "'<i8'", "'|O'", "'<f4'", "'<U1000000000'"]:
        content = npy(described(words, "(5,)"), bytes(20))
        yield f"words {words}", npz_with(npy(described()), content)
    yield "words too many", npz_with(npy(described()), npy(described("'<U1'", "(1000000000000,)")))
    yield "words no text", npz_with(npy(described()), npy(described("'<U1'", "(5,)"), b"\xff" * 20))
    yield "order", npz_with(npy(described(order="Maybe")))
    yield "fortran", npz_with(npy(described(shape="(5, 1000000)", order="True")))
    for length in (0, 1, 65535):
        yield f"length {length}", npz_with(npy(described(), length=length))
    for length in (0, 2**31, 2**32 - 1):
        yield f"long length {length}", npz_with(npy(described(), version=2, length=length))
    for version in (0, 4, 255):
        yield f"version {version}", npz_with(npy(described(), version=version))
    yield "no magic", npz_with(b"x" * 300)
    yield "empty", npz_with(b"")
    yield "more", npz_with(npy(described(), bytes(61)))
    yield "less", npz_with(npy(described(), bytes(59)))
    whole = npz_with(npy(described()))
    huge = npz_with(npy(described(shape="(5, 1000000)")))
    for size in (0, 1, 2**31, 2**32 - 2):
        yield f"archive {size}", with_forged_sizes(whole, size, size)
        yield f"archive huge {size}", with_forged_sizes(huge, size, size)
    yield "archive half", with_forged_sizes(whole, 300, 2**32 - 2)


# safetensors ----------------------------------------------------------------------------------


def safetensors_with(header: Any, data: bytes, length: int | None = None) -> bytes:
    packed = header if isinstance(header, bytes) else json.dumps(header).encode()
    packed = packed.ljust(-(-len(packed) // 8) * 8)
    return struct.pack("<Q", len(packed) if length is None else length) + packed + data


def safetensors_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    vectors = WordVectors.of(dict(zip(WORDS, MATRIX.tolist(), strict=True)))
    content = save(vectors, folder / "whole.safetensors").read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header, data = json.loads(content[8 : 8 + size]), content[8 + size :]
    for length in (0, 1, 100, size + 1, len(content), 10**12, 2**63, 2**64 - 1):
        yield f"length {length}", safetensors_with(header, data, length)
    forgeries: list[tuple[str, Any]] = [
        ("shape", [10**12, 300]), ("shape", [2**63, 2**63]), ("shape", [-1, 3]), ("shape", []),
        ("shape", [1.5]), ("shape", None), ("shape", [0]), ("dtype", "F64"), ("dtype", "X"),
        ("dtype", 3), ("data_offsets", [0, 10**12]), ("data_offsets", [60, 0]),
        ("data_offsets", [-1, 60]), ("data_offsets", [0]),
    ]  # fmt: skip
    for name in ("vectors", "words", "word_ends", "index_hashes", "index_rows"):
        for key, value in forgeries:
            forged = {**header, name: {**header[name], key: value}}
            yield f"{name} {key} {value}", safetensors_with(forged, data)
    for name in ("vectors", "words", "word_ends", "__metadata__"):
        yield f"no {name}", safetensors_with({k: v for k, v in header.items() if k != name}, data)
    metadata = header["__metadata__"]
    deep = "[" * 20_000 + "]" * 20_000
    for facts in (
        "", "{", "[]", "3", "NaN", deep, '{"steps": 5}', '{"origin": []}', '{"name": 5}',
        '{"content_hash": "x"}', '{"content_hash": 5}',
    ):  # fmt: skip
        forged = {**header, "__metadata__": {**metadata, "facts": facts}}
        yield f"facts {facts[:30]}", safetensors_with(forged, data)
    for ends in (
        [1, 2, 3, 4, 6],
        [5, 4, 3, 2, 5],
        [-1, 2, 3, 4, 5],
        [2**62, 1, 2, 3, 5],
        [0, 0, 0, 0, 5],
    ):
        begin, end = header["word_ends"]["data_offsets"]
        changed = data[:begin] + struct.pack("<5q", *ends) + data[end:]
        yield f"ends {ends}", safetensors_with(header, changed)
    begin, end = header["words"]["data_offsets"]
    for words in (b"a\xff\xfe\xfdb", b"a\x00bcd", b"a\nbcd", b"aabcd"):
        yield f"words {words!r}", safetensors_with(header, data[:begin] + words + data[end:])
    yield (
        "rows of an index",
        safetensors_with(header, data.replace(b"\x04\0\0\0", b"\xff\xff\xff\xff")),
    )
    yield "no data", safetensors_with(header, b"")
    yield "more data", safetensors_with(header, data + bytes(8))
    yield "deep", safetensors_with(b'{"a":' * 5000, b"")


def forged_files(folder: Path) -> dict[str, bytes]:
    files = {f"text {claim}": text_with(claim) for claim in claims()}
    files |= {f"binary {claim}": binary_with(claim) for claim in claims()}
    for name in list(files):  # packed, so that the size says nothing
        files[f"packed {name}"] = gzip.compress(files[name], mtime=0)
    files |= {f"npz {name}": content for name, content in npz_files()}
    files |= {f"safetensors {name}": content for name, content in safetensors_files(folder)}
    return files


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return forged_files(tmp_path_factory.mktemp("forged"))


def measured(path: Path) -> tuple[UnslantError | None, float, int]:
    """The error of a load, its seconds, and the most memory it held at once."""
    error = None
    tracemalloc.start()
    begun = time.perf_counter()
    try:
        load(path, cache=False)
    except UnslantError as raised:
        error = raised
    seconds = time.perf_counter() - begun
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return error, seconds, peak


def test_two_hundred_forged_headers_get_no_memory_no_time_and_a_name(
    tmp_path: Path, forged: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tally: Tally
) -> None:
    monkeypatch.setattr(text, "reuse_freed_memory", lambda: None)  # 31 MiB, freed at once
    assert len(forged) >= 200
    path, slowest, largest = tmp_path / "forged.bin", 0.0, 0
    for name, content in forged.items():
        path.write_bytes(content)
        error, seconds, peak = measured(path)
        slowest, largest = max(slowest, seconds), max(largest, peak)
        assert error is not None, f"{name}: loaded"
        assert str(path) in str(error), f"{name}: {error}"
        assert len(str(error)) < 1000, f"{name}: {error}"
        assert seconds < 1, f"{name}: {seconds} s"
        assert peak < 2 * len(content) + FIXED_BUFFERS, f"{name}: {peak:,} bytes"
    tally(len(forged), seconds=slowest, mebibytes=largest / 2**20)


@pytest.mark.parametrize("length", [0x180, 0x280, 0x480])
def test_a_header_whose_length_begins_like_a_pickle_is_no_pickle(
    tmp_path: Path, length: int
) -> None:
    path = tmp_path / "other.safetensors"
    path.write_bytes(safetensors_with(b"{}".ljust(length), b""))
    assert path.read_bytes()[:1] == b"\x80"
    with pytest.raises(
        UnslantError, match="a safetensors file, but it does not contain word vectors"
    ):
        load(path)


@pytest.mark.parametrize("make", [text_with, binary_with])
def test_the_true_header_is_accepted(tmp_path: Path, make: Any) -> None:
    path = tmp_path / "true.bin"
    path.write_bytes(make("5 3"))
    assert np.array_equal(load(path, cache=False).matrix, MATRIX)


def test_the_true_arrays_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "true.npz"
    path.write_bytes(npz_with(npy(described(), MATRIX.tobytes())))
    assert np.array_equal(load(path, cache=False).matrix, MATRIX)


def test_the_measure_sees_what_numpy_takes(tmp_path: Path) -> None:
    tracemalloc.start()
    array = np.ones(50 << 20, dtype=np.uint8)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak > array.nbytes > FIXED_BUFFERS


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system with sparse files")
@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("first", [b"", b"a " + bytes(1200) + b"\n"])
def test_a_binary_of_72_gigabytes_that_takes_no_room_is_one_sentence(
    tmp_path: Path, first: bytes, cache: bool
) -> None:
    path = tmp_path / "sparse.bin"
    path.write_bytes(b"60000000 300\n" + first)
    os.truncate(path, 60_000_000 * 1206)
    begin = time.perf_counter()
    expected = r"sparse\.bin (word \d: no space within|does not fit into memory\. Load it with)"
    with pytest.raises(UnslantError, match=expected):
        load(path, cache=cache)
    assert time.perf_counter() - begin < 5
    assert not list(cache_folder().glob("vectors/*"))
