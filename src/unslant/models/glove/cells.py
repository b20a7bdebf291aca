"""The counted pairs in random order, in one file that a training reads again and again.

The order is uniform and depends on the counts and the seed only: each pair goes to one of several
buckets by a hash of its key, and each bucket, which fits into memory, is permuted.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.core.seeds import generator

CELL = np.dtype([("i", "<i4"), ("j", "<i4"), ("log_x", "<f4")])
"""A pair of words, i ≤ j, and the logarithm of its x."""

_BUCKET = 1 << 24
_MOST_BUCKETS = 256  # files that are open at once
_SCATTER = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # of splitmix64


def write_cells(
    pieces: Iterable[tuple[NDArray[np.int64], NDArray[np.float64]]],
    path: Path,
    seed: int,
    most: int,
    progress: Progress | None = None,
) -> int:
    """Write counted pairs, of which there are at most ``most``, in random order; how many."""
    several = min(max(1, most // _BUCKET), _MOST_BUCKETS)
    buckets = [path.with_name(f"bucket-{number}.bin") for number in range(several)]
    salt = generator(seed, "glove", "buckets").integers(1 << 63, dtype=np.uint64)
    streams = [bucket.open("wb") for bucket in buckets]
    done = 0
    try:
        for keys, x in pieces:
            cells = np.empty(len(keys), dtype=CELL)
            cells["i"], cells["j"], cells["log_x"] = keys >> 32, keys & 0xFFFFFFFF, np.log(x)
            where = _scattered(keys, salt) % np.uint64(len(buckets))
            for number, stream in enumerate(streams):
                cells[where == number].tofile(stream)
            done += len(keys)
            if progress:
                progress("Merging counts", done, most)
    finally:
        for stream in streams:
            stream.close()
    with path.open("wb") as stream:
        for number, bucket in enumerate(buckets):
            cells = np.fromfile(bucket, dtype=CELL)
            generator(seed, "glove", "order", str(number)).shuffle(cells)
            cells.tofile(stream)
            bucket.unlink()
    return done


def _scattered(keys: NDArray[np.int64], salt: np.uint64) -> NDArray[np.uint64]:
    """A hash of each key."""
    mixed = keys.astype(np.uint64) ^ salt
    for factor, shift in zip(_SCATTER, (30, 27), strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
