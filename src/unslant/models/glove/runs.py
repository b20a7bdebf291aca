"""Counted pairs of words as sorted runs on disk, and their sum, read in order of their keys.

A count is a whole number of units, of which a distance of 1 has so many that every other distance
has a whole number too (for windows up to 22). Sums of whole numbers do not depend on their order,
so neither threads nor memory change a count.
"""

from collections.abc import Iterator, Sequence
from math import ceil, lcm
from pathlib import Path

import numpy as np

from unslant.core.types import Numbers

PAIR_BYTES = 16
_EXACT_WINDOW = 22  # beyond, a unit of the least common multiple could overflow 64 bits
_INEXACT_UNITS = 1 << 32
_SAMPLED = 256  # keys for each piece


def units_of(window: int) -> Numbers:
    """The units of distances 1 to ``window``, whose first is how many units are 1.

    >>> units_of(4).tolist()
    [12, 6, 4, 3]
    """
    distances = range(1, window + 1)
    one = lcm(*distances) if window <= _EXACT_WINDOW else _INEXACT_UNITS
    return np.array([round(one / distance) for distance in distances], dtype=np.int64)


def write_run(path: Path, keys: Numbers, units: Numbers) -> None:
    """Write pairs with different keys, sorted by them: first all keys, then all units."""
    order = np.argsort(keys)
    with path.open("wb") as stream:
        keys[order].tofile(stream)
        units[order].tofile(stream)


def merged(runs: Sequence[Path], most: int) -> Iterator[tuple[Numbers, Numbers]]:
    """The sums of all runs in order of their keys, in pieces of about ``most`` pairs of the runs.

    Each key is in one piece only.
    """
    mapped = [
        np.asarray(np.memmap(path, dtype=np.int64, mode="r")).reshape(2, -1)
        for path in runs
        if path.stat().st_size
    ]
    cuts = _cuts([run[0] for run in mapped], most)
    places = [[0, *np.searchsorted(run[0], cuts).tolist(), run.shape[1]] for run in mapped]
    for piece in range(len(cuts) + 1):
        parts = [run[:, at[piece] : at[piece + 1]] for run, at in zip(mapped, places, strict=True)]
        keys, units = np.concatenate(parts, axis=1) if parts else np.empty((2, 0), dtype=np.int64)
        if not len(keys):
            continue
        order = np.argsort(keys, kind="stable")  # fast for runs that are sorted already
        keys, units = keys[order], units[order]
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        yield keys[firsts], np.add.reduceat(units, firsts)


def _cuts(runs: Sequence[Numbers], most: int) -> Numbers:
    """Keys that divide all runs into pieces of about ``most`` pairs, found by a sample."""
    total = sum(map(len, runs))
    pieces = ceil(total / max(1, most))
    if pieces <= 1:
        return np.empty(0, dtype=np.int64)
    stride = max(1, total // (_SAMPLED * pieces))
    keys = np.sort(np.concatenate([run[::stride] for run in runs]))
    return np.unique(keys[np.arange(1, pieces) * len(keys) // pieces])
