"""The text of a number reads back to its bits, and is what numpy prints where that is shortest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from unslant.numerics.decimals import shortest_decimals

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


def fields(matrix: NDArray[np.float32]) -> list[list[str]]:
    text, lengths = shortest_decimals(matrix)
    found, start = [], 0
    for length in lengths.tolist():
        row = text[start : start + length].tobytes().decode()
        assert row.startswith(" ")
        found.append(row[1:].split(" "))
        start += length
    assert start == len(text)
    return found


def expect_same(matrix: NDArray[np.float32]) -> None:
    printed = fields(matrix)
    assert [len(row) for row in printed] == [matrix.shape[1]] * len(matrix)
    # As numpy reads it: straight to 32 bits, not by way of a double.
    back = np.array(printed, dtype=np.str_).astype(np.float32)
    assert back.tobytes() == matrix.tobytes()
    assert np.array(printed, np.float64).astype(np.float32).tobytes() == matrix.tobytes()
    lengths = np.char.str_len(np.array(printed))
    assert (lengths <= np.char.str_len(matrix.astype(np.str_))).all()


@given(arrays(np.float32, (3, 4), elements=FLOATS))
def test_any_float_reads_back(matrix: NDArray[np.float32]) -> None:
    expect_same(matrix)


@given(arrays(np.float32, (5, 7), elements=st.floats(-10, 10, width=32)))
def test_ordinary_floats_read_back_and_look_as_numpy_prints_them(
    matrix: NDArray[np.float32],
) -> None:
    expect_same(matrix)
    assert fields(matrix) == matrix.astype(np.str_).tolist()


@pytest.mark.parametrize("digits", [1, 3, 5, 6, 7, 9])
@pytest.mark.parametrize("spread", [0.001, 0.05, 0.4, 3.0])
def test_numbers_of_trained_vectors_look_as_numpy_prints_them(digits: int, spread: float) -> None:
    drawn = np.random.default_rng(digits).normal(0, spread, (200, 50))
    matrix = np.array([[f"{x:.{digits}g}" for x in row] for row in drawn]).astype(np.float32)
    expect_same(matrix)
    assert fields(matrix) == matrix.astype(np.str_).tolist()


def test_all_floats_around_the_bounds_of_the_quick_way_read_back() -> None:
    edges = np.array([0, 1e-4, 1e-3, 0.01, 0.1, 0.125, 0.5, 1, 2, 4, 8, 10, 16], np.float32)
    bits = edges.view(np.int32)[:, None] + np.arange(-200, 201)
    near = np.maximum(bits, 0).astype(np.int32).view(np.float32)
    expect_same(np.concatenate([near, -near]))


@pytest.mark.full
def test_ten_million_floats_of_every_size_read_back() -> None:
    random = np.random.default_rng(9)
    for _ in range(100):
        bits = random.integers(0, 0x7F800000, (100, 1000), dtype=np.int32)
        usual = random.integers(0x38D1B717, 0x41200000, (100, 1000), dtype=np.int32)
        expect_same(np.concatenate([bits, usual]).view(np.float32))
