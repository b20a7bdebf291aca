"""Sorted runs and their merge; cells in an order that only the seed decides."""

from collections import Counter
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.models.glove import counts as module
from unslant.models.glove.counting import merged, units_of, write_run
from unslant.models.glove.counts import CELL, write_cells

RUN = st.dictionaries(st.integers(0, 60), st.integers(1, 10**12), max_size=40)


@given(runs=st.lists(RUN, max_size=6), most=st.integers(1, 50))
def test_a_merge_is_the_sum_in_order_whatever_its_pieces(
    tmp_path_factory: pytest.TempPathFactory, runs: list[dict[int, int]], most: int
) -> None:
    folder, paths, total = tmp_path_factory.mktemp("runs"), [], Counter[int]()
    for number, run in enumerate(runs):
        paths.append(folder / str(number))
        write_run(paths[-1], np.array([*run], np.int64), np.array([*run.values()], np.int64))
        total.update(run)
    found: list[tuple[int, int]] = []
    for keys, units in merged(paths, most):
        found += zip(keys.tolist(), units.tolist(), strict=True)
    assert found == sorted(total.items())


def test_pieces_of_a_merge_hold_little_of_large_runs(tmp_path: Path) -> None:
    rng, paths = np.random.default_rng(0), []
    for number in range(20):
        paths.append(tmp_path / str(number))
        keys = np.unique(rng.integers(1 << 40, size=5_000))
        write_run(paths[-1], keys, np.ones(len(keys), np.int64))
    sizes = [len(keys) for keys, _ in merged(paths, 4_000)]
    assert sum(sizes) == pytest.approx(100_000, abs=10)
    assert max(sizes) < 6_000


def test_units_are_exact_fractions_of_one_and_fit_into_64_bits() -> None:
    for window in range(1, 23):
        units = units_of(window)
        assert all(int(units[d - 1]) * d == int(units[0]) for d in range(1, window + 1))
    assert int(units_of(22)[0]) * 10**10 < 2**63  # ten thousand million neighbours


def pieces(keys: np.ndarray, several: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(part, part + 1.0) for part in np.array_split(keys, several)]


def test_cells_are_all_there_in_an_order_of_the_seed_and_not_of_the_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BUCKET", 1 << 9)
    keys = np.sort(np.random.default_rng(0).choice(1 << 20, 3_000, replace=False)).astype(np.int64)
    keys = ((keys >> 10) << 32) | (keys & 1023)

    def written(several: int, seed: int) -> np.ndarray:
        assert write_cells(pieces(keys, several), tmp_path / "c", seed, 3_000) == 3_000
        return np.fromfile(tmp_path / "c", dtype=CELL)

    one = written(1, 0)
    assert (written(7, 0) == one).all()
    assert not (written(1, 1) == one).all()
    back = (one["i"].astype(np.int64) << 32) | one["j"]
    assert (np.sort(back) == keys).all()
    order = np.argsort(back)
    assert (one["log_x"][order] == np.log(keys + 1.0).astype(np.float32)).all()
    assert [path.name for path in tmp_path.iterdir()] == ["c"], "buckets are removed"


def test_the_order_of_cells_is_uniform(tmp_path: Path) -> None:
    firsts = Counter[int]()
    keys = np.arange(8, dtype=np.int64)
    for seed in range(800):
        write_cells(pieces(keys, 1), tmp_path / "c", seed, 8)
        firsts[int(np.fromfile(tmp_path / "c", dtype=CELL)["j"][0])] += 1
    # A binomial count with n = 800, p = 1/8 is in this range in all but about 1 of 10,000 cases.
    tail = sum(comb(800, k) * 7 ** (800 - k) for k in range(63)) / 8**800
    assert tail < 1e-4
    assert all(63 <= firsts[key] <= 140 for key in range(8)), firsts
