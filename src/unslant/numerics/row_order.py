"""The largest few of a row in order, by one sort of plain integers.

A float32 and its column fit into 64 bits. They are packed so that a larger value, and among equal
values an earlier column, gives a smaller integer. One sort of integers then replaces two sorts of
floats and is several times as fast.
"""

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Matrix

Rows = NDArray[np.int64]
Keys = NDArray[np.uint64]

_SIGN = np.uint32(1 << 31)
_ALL_BUT_SIGN = np.uint32((1 << 31) - 1)
_LAST = np.iinfo(np.uint64).max  # after every key, as no column is this large
_HALF = np.uint64(32)


def first_of_each_row(
    rows: Rows, columns: Rows, values: Matrix, counts: Rows, k: int
) -> tuple[Rows, Matrix]:
    """Columns and values of the k largest of each row, largest first, equal ones by column.

    The three arrays name numbers of a matrix in any order; ``counts`` says how many of them lie in
    each row, which must be k or more.
    """
    # Sorting 16-bit integers stably is a radix sort, which does not compare.
    order = np.argsort(rows.astype(np.uint16) if len(counts) <= 1 << 16 else rows, kind="stable")
    ordered = rows[order]
    places = np.arange(len(order)) - (np.cumsum(counts) - counts)[ordered]
    table = np.full((len(counts), int(counts.max(initial=k))), _LAST, dtype=np.uint64)
    table[ordered, places] = _keys(columns, values)[order]
    table.sort(axis=1)
    return _columns_and_values(table[:, :k])


def _keys(columns: Rows, values: Matrix) -> Keys:
    bits = (values + np.float32(0)).view(np.uint32)  # −0 becomes 0, which it is equal to
    # Negative floats grow with their bits read as an integer away from 0, positive ones too: so
    # the former are in falling order already, and the latter are once they are turned round.
    falling = np.where(bits & _SIGN, bits, bits ^ _ALL_BUT_SIGN)
    return (falling.astype(np.uint64) << _HALF) | columns.astype(np.uint64)


def _columns_and_values(keys: Keys) -> tuple[Rows, Matrix]:
    falling = (keys >> _HALF).astype(np.uint32)
    bits = np.where(falling & _SIGN, falling, falling ^ _ALL_BUT_SIGN)
    return keys.astype(np.uint32).astype(np.int64), bits.view(np.float32)
