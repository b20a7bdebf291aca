import hashlib

import numpy as np
import pytest

from unslant.vectors.sealed import BlockHashes, blocks_of, rows_in_block


@pytest.mark.parametrize("dim", [1, 7, 300, 5_000])
@pytest.mark.parametrize("rows", [0, 1, 13, 14, 5_000])
def test_the_hashes_are_those_of_the_blocks_however_the_rows_arrive(dim: int, rows: int) -> None:
    data = np.random.default_rng(rows).integers(0, 256, rows * 4 * dim, dtype=np.uint8)
    size = rows_in_block(4 * dim) * 4 * dim
    blocks = [data[start : start + size].data for start in range(0, len(data), size)]
    expected = [hashlib.sha256(block).digest() for block in blocks]
    assert blocks_of(rows, 4 * dim) == len(expected)
    random = np.random.default_rng(1)
    for portion in (1, 3, 500, 10_000):
        hashes, row = BlockHashes(4 * dim), 0
        while row < rows:
            more = int(random.integers(0, portion + 1))
            hashes.update(data[4 * dim * row : 4 * dim * (row + more)].data)
            row += more
        assert [one.tobytes() for one in hashes.table()] == expected
