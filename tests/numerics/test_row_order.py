"""The largest of each row by one sort of integers, against Python's sort of tuples."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unslant.numerics.neighbours import first_of_each_row

values = st.floats(width=32, allow_nan=False)


@given(st.lists(st.lists(values, min_size=3, max_size=12), min_size=1, max_size=5), st.randoms())
def test_any_floats_come_largest_first_and_equal_ones_by_column(
    matrix: list[list[float]], random: Random
) -> None:
    entries = [
        (row, column, value) for row, line in enumerate(matrix) for column, value in enumerate(line)
    ]
    random.shuffle(entries)
    rows, columns, numbers = (np.array(part) for part in zip(*entries, strict=True))
    counts = np.array([len(line) for line in matrix])
    found, largest = first_of_each_row(rows, columns, numbers.astype(np.float32), counts, 3)
    expected = [sorted(range(len(line)), key=lambda at: (-line[at], at))[:3] for line in matrix]
    assert found.tolist() == expected
    assert largest.tolist() == [
        [line[at] for at in its] for line, its in zip(matrix, expected, strict=True)
    ]


def test_more_rows_than_16_bits_count_are_kept_apart() -> None:
    count = (1 << 16) + 3
    rows = np.arange(count)
    found, largest = first_of_each_row(
        rows, rows % 7, rows.astype(np.float32), np.ones(count, dtype=np.int64), 1
    )
    assert found.ravel().tolist() == (rows % 7).tolist()
    assert largest.ravel().tolist() == rows.tolist()
