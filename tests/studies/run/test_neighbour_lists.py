"""Neighbour lists that are kept: the same bits as computed ones, found once, whatever happens."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from unslant.concepts.vocabulary import unit_rows
from unslant.core.files import cache_folder
from unslant.core.types import Matrix
from unslant.numerics import neighbours
from unslant.numerics.neighbours import Lists, Neighbours, top_cosines
from unslant.studies.run import machine_cache
from unslant.studies.run.machine_cache import KeptNeighbours
from unslant.vectors import WordVectors

KEPT = KeptNeighbours(1 << 30)
QUERIES = np.arange(0, 600, 3)


@pytest.fixture(scope="module")
def units(glove: WordVectors) -> Matrix:
    return unit_rows(glove, np.arange(600))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven queries a block, and the last one shorter."""
    monkeypatch.setattr(neighbours, "_BLOCK_BYTES", 7 * 4 * 600)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The k of every computation."""
    asked: list[int] = []

    def counted(rows: Any, queries: Any, k: int, progress: Any = None) -> Iterator[Lists]:
        asked.append(k)
        return top_cosines(rows, queries, k, progress)

    monkeypatch.setattr(machine_cache, "top_cosines", counted)
    return asked


def plain(source: Neighbours, units: Matrix, k: int, queries: Any = QUERIES) -> list[object]:
    """All that a source gives, in a form that is equal only where every bit is."""
    return [
        (places, rows.dtype, rows.shape, rows.tobytes(), cosines.dtype, cosines.tobytes())
        for places, rows, cosines in source(units, queries, k)
    ]


def files() -> list[Path]:
    return list((cache_folder() / "studies").glob("*.safetensors"))


def test_kept_lists_are_the_computed_ones_to_the_last_bit(
    units: Matrix, computed: list[int]
) -> None:
    direct = plain(top_cosines, units, 20)
    assert len(direct) == 29
    assert plain(KEPT, units, 20) == direct
    assert plain(KEPT, units, 20) == direct
    assert computed == [20]


def test_longer_lists_serve_for_shorter_ones_and_shorter_are_replaced(
    units: Matrix, computed: list[int]
) -> None:
    for k in (20, 5, 30, 20, 700):
        assert plain(KEPT, units, k) == plain(top_cosines, units, k)
    assert computed == [20, 30, 599]
    assert len(files()) == 1


def test_any_safetensors_library_reads_what_is_kept(units: Matrix) -> None:
    direct = list(top_cosines(units, QUERIES, 20))
    plain(KEPT, units, 20)
    [path] = files()
    stored = load_file(path)
    assert np.array_equal(stored["rows"], np.concatenate([rows for _, rows, _ in direct]))
    assert np.array_equal(stored["cosines"], np.concatenate([cosines for *_, cosines in direct]))
    assert stored["rows"].dtype == np.int32
    assert path.stat().st_size == 512 + 200 * 20 * 8


def test_other_rows_or_queries_are_other_lists(units: Matrix, computed: list[int]) -> None:
    moved = units.copy()
    moved[599, 99] = np.nextafter(moved[599, 99], np.float32(1))
    for rows, queries in (
        (units, QUERIES),
        (moved, QUERIES),
        (units, QUERIES[::-1].copy()),
        (units, QUERIES[:-1]),
        (units[:599], QUERIES),
    ):
        assert plain(KEPT, rows, 20, queries) == plain(top_cosines, rows, 20, queries)
    assert len(computed) == len(files()) == 5


def cut(content: bytes) -> bytes:
    return content[:-1]


def emptied(content: bytes) -> bytes:
    return b""


def with_a_changed_bit(content: bytes) -> bytes:
    return content[:9_000] + bytes([content[9_000] ^ 1]) + content[9_001:]


def with_another_shape(content: bytes) -> bytes:
    return content.replace(b"[200, 20]", b"[20, 200]")


def without_a_seal(content: bytes) -> bytes:
    return content.replace(b"blocks-sha256", b"blocks-sha257")


def without_cosines(content: bytes) -> bytes:
    return content.replace(b'"cosines"', b'"kosines"')


def of_another_type(content: bytes) -> bytes:
    return content.replace(b'"F32"', b'"I32"')


@pytest.mark.parametrize(
    "damage",
    [
        cut,
        emptied,
        with_a_changed_bit,
        with_another_shape,
        without_a_seal,
        without_cosines,
        of_another_type,
    ],
)
def test_a_damaged_file_is_computed_anew(
    units: Matrix, computed: list[int], damage: Callable[[bytes], bytes]
) -> None:
    direct = plain(KEPT, units, 20)
    [path] = files()
    whole = path.read_bytes()
    assert damage(whole) != whole
    path.write_bytes(damage(whole))
    assert plain(KEPT, units, 20) == direct
    assert path.read_bytes() == whole
    assert len(computed) == 2


def test_lists_stay_readable_when_their_file_is_removed(units: Matrix) -> None:
    direct, kept = top_cosines(units, QUERIES, 20), KEPT(units, QUERIES, 20)
    first = next(kept)
    files()[0].unlink()
    for (_, rows, _), (_, expected, _) in zip([first, *kept], direct, strict=True):
        assert np.array_equal(rows, expected)


def test_progress_is_told_once_whether_lists_are_computed_or_read(units: Matrix) -> None:
    steps: list[tuple[int, int]] = []
    for _ in range(2):
        steps.clear()
        for _ in KEPT(units, QUERIES, 20, lambda *step: steps.append(step)):
            pass
        assert len(steps) == 29
        assert steps[0] == (7, 200)
        assert steps[-1] == (200, 200)


def test_a_full_disk_or_a_folder_that_cannot_be_written_costs_no_list(
    units: Matrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, computed: list[int]
) -> None:
    direct = plain(top_cosines, units, 20)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr(Path, "replace", full)
        assert plain(KEPT, units, 20) == direct
        assert [path.suffix for path in (cache_folder() / "studies").iterdir()] == [".lock"]
    (tmp_path / "file").touch()
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "file"))
    assert plain(KEPT, units, 20) == direct
    assert computed == [20, 20, 20]


PROCESS = """
import hashlib, sys
import numpy as np
from unslant.numerics.neighbours import top_cosines
from unslant.studies.run import machine_cache

def told(*given):
    print("computed", flush=True)
    return top_cosines(*given)

machine_cache.top_cosines = told
rows = np.random.default_rng(0).normal(size=(6000, 50)).astype(np.float32)
rows /= np.linalg.norm(rows, axis=1, keepdims=True)
print("ready", flush=True)
sys.stdin.readline()
digest = hashlib.sha256()
for _, near, cosines in machine_cache.KeptNeighbours(1 << 30)(rows, np.arange(6000), 50):
    digest.update(near.tobytes() + cosines.tobytes())
print(digest.hexdigest())
"""


def test_of_two_processes_one_computes_and_the_other_waits() -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate(timeout=60)[0].split() for process in started]
    assert sorted(len(lines) for lines in said) == [1, 2]
    assert said[0][-1] == said[1][-1]
    assert len(files()) == 1
