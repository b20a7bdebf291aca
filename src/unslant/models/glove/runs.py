"""Counted pairs of words as sorted runs on disk, and their sum, read in order of their keys.

A count is a whole number of units, of which a distance of 1 has so many that every other distance
has a whole number too (for windows up to 22). Sums of whole numbers do not depend on their order,
so neither threads nor memory change a count.
"""

from collections.abc import Iterator, Sequence
from math import ceil, lcm
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

PAIR = np.dtype([("key", "<i8"), ("units", "<i8")])
_EXACT_WINDOW = 22  # beyond, a unit of the least common multiple could overflow 64 bits
_INEXACT_UNITS = 1 << 32
_SAMPLED = 4096


def units_of(window: int) -> Numbers:
    """The units of distances 1 to ``window``, whose first is how many units are 1.

    >>> units_of(4).tolist()
    [12, 6, 4, 3]
    """
    distances = range(1, window + 1)
    one = lcm(*distances) if window <= _EXACT_WINDOW else _INEXACT_UNITS
    return np.array([round(one / distance) for distance in distances], dtype=np.int64)


def write_run(path: Path, keys: Numbers, units: Numbers) -> None:
    """Write pairs with different keys, sorted by them."""
    order = np.argsort(keys)
    run = np.empty(len(keys), dtype=PAIR)
    run["key"], run["units"] = keys[order], units[order]
    with path.open("wb") as stream:
        run.tofile(stream)


def merged(runs: Sequence[Path], most: int) -> Iterator[tuple[Numbers, Numbers]]:
    """The sums of all runs in order of their keys, in pieces of about ``most`` pairs of the runs.

    Each key is in one piece only.
    """
    mapped = [np.memmap(path, dtype=PAIR, mode="r") for path in runs if path.stat().st_size]
    total = sum(map(len, mapped))
    cuts = _cuts(mapped, ceil(total / max(1, most)))
    ends = [np.searchsorted(run["key"], cuts).tolist() + [len(run)] for run in mapped]
    begins = [[0, *end[:-1]] for end in ends]
    for piece in range(len(cuts) + 1):
        parts = [
            np.array(run[begin[piece] : end[piece]])
            for run, begin, end in zip(mapped, begins, ends, strict=True)
        ]
        if not sum(map(len, parts)):
            continue
        both = np.concatenate(parts)
        both = both[np.argsort(both["key"], kind="stable")]
        firsts = np.flatnonzero(np.diff(both["key"], prepend=-1))
        yield both["key"][firsts], np.add.reduceat(both["units"], firsts)


def _cuts(mapped: Sequence[NDArray[np.void]], pieces: int) -> Numbers:
    """Keys that divide all runs into about equal pieces, found by a sample of each."""
    if pieces <= 1:
        return np.empty(0, dtype=np.int64)
    sampled = [run["key"][:: max(1, len(run) * len(mapped) // (_SAMPLED * pieces))] for run in mapped]
    keys = np.sort(np.concatenate(sampled))
    places = np.arange(1, pieces) * len(keys) // pieces
    return np.unique(keys[places])
