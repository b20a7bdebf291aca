"""Which candidate is nearest to each vector after each of several shifts."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Matrix
from unslant.numerics.chunks import row_blocks

Places = NDArray[np.int64]

_BLOCK_BYTES = 32 << 20


def nearest_after_shifts(
    units: Matrix, vectors: Matrix, shifts: Matrix, excluded: Places, own: Places | None = None
) -> Iterator[tuple[slice, Places]]:
    """For blocks of vectors: their places, and for each and each shift the nearest candidate.

    ``units`` are the candidates, of length 1; row k of ``excluded`` holds the candidates that may
    not be the answer to shift k, and ``own``, if given, the one that may not be the answer to each
    vector. The product of a candidate with v + s is the sum of its products with v
    and with s, so vectors × shifts questions need only vectors + shifts products.
    """
    by_shift = shifts @ units.T
    by_shift[np.arange(len(shifts))[:, None], excluded] = -np.inf
    for rows in row_blocks(len(vectors), 4 * len(units), _BLOCK_BYTES):
        products = vectors[rows] @ units.T
        if own is not None:
            products[np.arange(len(products)), own[rows]] = -np.inf
        total = np.empty_like(products)
        nearest = np.empty((len(products), len(shifts)), dtype=np.int64)
        for number, row in enumerate(by_shift):
            np.add(products, row, out=total)
            nearest[:, number] = total.argmax(axis=1)
        yield rows, nearest
