import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unslant.core.errors import UnslantError, UnslantWarning
from unslant.models.language.space import VectorCache

DIM = 256
MOST = 1 << 20


def filled(path: Path, count: int = 1, start: int = 0, **more: Any) -> VectorCache:
    cache = VectorCache(path, **more)
    for batch in range(start, start + count):
        texts = [f"{batch} {number}" for number in range(100)]
        cache.put("space", texts, np.full((100, DIM), batch, np.float32))
    return cache


def known(cache: VectorCache, batch: int) -> int:
    texts = [f"{batch} {number}" for number in range(100)]
    found = cache.get("space", texts, DIM)
    assert all((row == batch).all() for row in found.values())
    return len(found)


def test_the_file_stays_within_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    for batch in range(30):  # three times as much as fits
        filled(path, 1, batch, most_bytes=MOST)
        assert path.stat().st_size <= MOST + 65536
    assert path.stat().st_size > MOST // 2


def test_what_was_used_least_recently_goes_first(tmp_path: Path) -> None:
    cache = filled(tmp_path / "vectors.sqlite", 5, most_bytes=MOST)
    for batch in range(5, 25):
        assert known(cache, 0) == 100, "used again and again"
        filled(cache.path, 1, batch, most_bytes=MOST)
    assert known(cache, 24) == 100
    assert [known(cache, batch) for batch in range(1, 5)] == [0] * 4


def test_a_smaller_bound_holds_from_the_next_write_on(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    filled(path, 8, most_bytes=8 * MOST)
    assert path.stat().st_size > MOST // 2
    filled(path, 1, 8, most_bytes=MOST // 4)
    assert path.stat().st_size <= MOST // 4


def test_the_environment_sets_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSLANT_TEXTS_MB", "3")
    assert VectorCache(tmp_path / "vectors.sqlite").most_bytes == 3 << 20
    for wrong in ("0", "-1", "many", ""):
        monkeypatch.setenv("UNSLANT_TEXTS_MB", wrong)
        with pytest.raises(UnslantError, match="UNSLANT_TEXTS_MB is the largest size"):
            VectorCache(tmp_path / "vectors.sqlite")


class Full:
    """A connection whose disk is full."""

    def __init__(self, real: sqlite3.Connection) -> None:
        self.real = real

    def __enter__(self) -> "Full":
        return self

    def __exit__(self, *_: object) -> None:
        self.real.rollback()

    def executemany(self, *_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **more: Full(connect(*args, **more)))


def test_a_full_disk_costs_one_warning_and_no_vector(tmp_path: Path, full_disk: None) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite")
    with pytest.warns(UnslantWarning, match=r"disk is full\), so texts are encoded without it"):
        cache.put("space", ["a", "b"], np.ones((2, DIM), np.float32))
    cache.put("space", ["a", "b"], np.ones((2, DIM), np.float32))  # a second one would be an error
    assert cache.get("space", ["a", "b"], DIM) == {}


def test_what_a_full_disk_still_has_is_used(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = filled(tmp_path / "vectors.sqlite").path
    request.getfixturevalue("full_disk")
    with pytest.warns(UnslantWarning, match="disk is full"):
        assert known(VectorCache(path), 0) == 100


def test_a_folder_that_cannot_be_made_costs_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(UnslantWarning, match="Not a directory|File exists"):
        cache = VectorCache(tmp_path / "file" / "texts" / "vectors.sqlite")
    assert cache.get("space", ["a"], DIM) == {}


@pytest.mark.parametrize("damage", [b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_file_costs_one_warning(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "vectors.sqlite"
    path.write_bytes(damage)
    cache = VectorCache(path)
    with pytest.warns(UnslantWarning, match="Remove the file"):
        assert cache.get("space", ["a"], DIM) == {}
    cache.put("space", ["a"], np.ones((1, DIM), np.float32))  # a second one would be an error


def test_several_users_of_one_file_lose_nothing_and_stay_within_the_bound(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"

    def work(batch: int) -> int:
        return known(filled(path, 1, batch, most_bytes=8 * MOST), batch)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == [100] * 16
    assert path.stat().st_size <= 8 * MOST + 65536
