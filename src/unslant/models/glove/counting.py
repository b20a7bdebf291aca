"""How often words occur near each other, in memory that does not grow with the text."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Event

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.models.glove.runs import PAIR_BYTES, merged, units_of, write_run
from unslant.models.glove.settings import CountSettings
from unslant.models.glove.tokens import RankedText

_SMALLEST_TABLE = 1 << 10
_FULLEST = 0.7
_PIECE = 1 << 21


def counted(
    text: RankedText,
    how: CountSettings,
    folder: Path,
    threads: int = 1,
    progress: Progress | None = None,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """The pairs of words that occur near each other, in order, and x, the sum of their 1/distance.

    A pair (i, j), i ≤ j, is i · 2^32 + j. A pair of the same word counts in both directions, as
    in X with X_ij = X_ji.
    """
    units = units_of(how.window)
    runs = _runs(text.path, units, how, folder, threads, progress)
    held = how.memory * (1 << 20) // (4 * PAIR_BYTES)  # sorting copies
    for keys, sums in merged(runs, held):
        same = (keys >> 32) == (keys & 0xFFFFFFFF)
        yield keys, np.where(same, 2, 1) * sums / float(units[0])
    for run in runs:
        run.unlink()


def _runs(
    path: Path,
    units: NDArray[np.int64],
    how: CountSettings,
    folder: Path,
    threads: int,
    progress: Progress | None,
) -> Sequence[Path]:
    """Count on threads, each on a part of the text with a table of its own, into sorted runs."""
    ranks = np.asarray(np.memmap(path, dtype=np.int32, mode="r"))
    slots = _slots(how.memory * (1 << 20) // threads, len(ranks) * len(units) // threads)
    bounds = np.linspace(0, len(ranks), threads + 1).astype(np.int64).tolist()
    stop, done = Event(), [0] * threads

    def count_part(part: int) -> list[Path]:
        names = (folder / f"run-{part}-{number}.bin" for number in count())
        written = []
        for run in _tables(ranks, bounds[part], bounds[part + 1], units, slots):
            if stop.is_set():
                break
            if isinstance(run, int):
                done[part] = run - bounds[part]
                if progress and part == 0:
                    progress("Counting pairs", sum(done), len(ranks))
                continue
            written.append(next(names))
            write_run(written[-1], *run)
        return written

    with ThreadPoolExecutor(threads) as pool:
        try:
            return [path for part in pool.map(count_part, range(threads)) for path in part]
        finally:
            stop.set()


def _tables(
    ranks: NDArray[np.int32], begin: int, end: int, units: NDArray[np.int64], slots: int
) -> Iterator[int | tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """How far the text is counted, and the pairs of each table that is full or the last."""
    from unslant.models.glove.kernels import EMPTY, count_pairs

    while slots * _FULLEST < 2 * len(units):
        slots *= 2
    keys, sums = np.full(slots, EMPTY, dtype=np.int64), np.zeros(slots, dtype=np.int64)
    place, filled, most = begin, 0, int(slots * _FULLEST)
    while place < end:
        stop = min(place + _PIECE, end)
        place, filled = count_pairs(ranks, place, stop, units, keys, sums, filled, most)
        yield place
        if place < stop:
            used = keys != EMPTY
            yield keys[used], sums[used]
            keys.fill(EMPTY)
            sums.fill(0)
            filled = 0
    used = keys != EMPTY
    yield keys[used], sums[used]


def _slots(bytes_held: int, most_pairs: int) -> int:
    """A power of 2: as many slots as the memory holds, and no more than pairs could need."""
    slots = _SMALLEST_TABLE
    while slots * PAIR_BYTES * 2 <= bytes_held and slots < 2 * most_pairs:
        slots *= 2
    return slots
