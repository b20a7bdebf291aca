"""How often words occur near each other, in memory that does not grow with the text."""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from math import ceil, lcm
from pathlib import Path
from threading import Event

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import FileFormatError, UnslantError
from unslant.core.files import Progress
from unslant.core.types import Numbers
from unslant.datasets.corpora import lines_of
from unslant.datasets.nli.text import tokenise
from unslant.models.glove.settings import CountSettings

# Text as numbered words: read once, numbered as they come, then ranked by how often they occur.

BOUNDARY = -1
_TEXT_PIECE = 1 << 20
_TEXTS = (".txt", ".text", ".gz", ".xz", ".bz2", ".zip")


@dataclass(frozen=True, eq=False)
class RankedText:
    """The words that are frequent enough, most frequent first, and the text as their ranks.

    ``path`` has one 32-bit number for each word that is left, and -1 between texts that no window
    may join. ``tokens`` counts all words of the text, ``types`` the different ones.
    """

    path: Path
    words: Sequence[str]
    counts: NDArray[np.int64]
    tokens: int
    types: int


def files_of(corpus: Path) -> list[Path]:
    """The text files of a corpus: itself, or those in a folder and below, in order of name."""
    if corpus.is_file():
        return [corpus]
    if not corpus.is_dir():
        raise FileFormatError(f"{corpus} does not exist. Name a text file or a folder of them.")
    found = sorted(p for p in corpus.rglob("*") if p.is_file() and p.suffix.lower() in _TEXTS)
    if not found:
        raise FileFormatError(f"{corpus} contains no text files ({', '.join(_TEXTS)}).")
    return found


def ranked_text(
    files: Sequence[Path], how: CountSettings, folder: Path, progress: Progress | None = None
) -> RankedText:
    """Read a corpus once and write it to ``folder`` as ranks."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    raw, ranked = folder / "tokens.bin", folder / "ranks.bin"
    with raw.open("wb") as stream:
        for numbered in _numbered(files, how.boundary, numbers, progress):
            numbered.tofile(stream)
    counts = np.zeros(len(numbers), dtype=np.int64)
    for piece in _pieces(raw):
        counts += np.bincount(piece[piece >= 0], minlength=len(counts))
    words = list(numbers)
    kept = np.flatnonzero(counts >= how.minimum).tolist()
    if len(kept) < 2:
        raise UnslantError(_too_few(files, len(kept), int(counts.sum()), len(words), how.minimum))
    order = np.array(sorted(kept, key=lambda row: (-counts[row], words[row])))
    # The last place is that of a boundary, whose number is -1.
    rank_of = np.full(len(words) + 1, BOUNDARY - 1, dtype=np.int32)
    rank_of[order], rank_of[-1] = np.arange(len(order)), BOUNDARY
    with ranked.open("wb") as stream:
        for piece in _pieces(raw):
            ranks = rank_of[piece]
            ranks[ranks >= BOUNDARY].tofile(stream)
    raw.unlink()
    return RankedText(
        path=ranked,
        words=[words[row] for row in order.tolist()],
        counts=counts[order],
        tokens=int(counts.sum()),
        types=len(words),
    )


def _numbered(
    files: Sequence[Path],
    boundary: str,
    numbers: defaultdict[str, int],
    progress: Progress | None,
) -> Iterator["array[int]"]:
    """The numbers of the words, in pieces; new words get the next number."""
    number, piece, done = numbers.__getitem__, array("i"), 0
    total = sum(path.stat().st_size for path in files)
    for path in files:
        for line in lines_of(path):
            tokens = tokenise(line.decode("utf-8", "replace"))
            piece.extend(map(number, tokens))
            if boundary == "line" or (boundary == "paragraph" and not tokens):
                piece.append(BOUNDARY)
            if len(piece) >= _TEXT_PIECE:
                yield piece
                piece = array("i")
                if progress:
                    progress("Reading words", done, total)
        piece.append(BOUNDARY)
        done += path.stat().st_size
    yield piece


def _pieces(path: Path) -> Iterator[NDArray[np.int32]]:
    with path.open("rb") as stream:
        while data := stream.read(4 * _TEXT_PIECE):
            yield np.frombuffer(data, dtype=np.int32)


def _too_few(files: Sequence[Path], kept: int, tokens: int, types: int, minimum: int) -> str:
    where = str(files[0]) if len(files) == 1 else f"{files[0]} and {len(files) - 1:,} more files"
    if not tokens:
        return f"{where} contains no words."
    return (
        f"{where} has {kept} words that occur at least {minimum} times, of {types:,} different "
        f"words in {tokens:,}; at least 2 are needed. Use more text, or a lower --minimum."
    )


# Counted pairs of words as sorted runs on disk, and their sum, read in order of their keys.
#
# A count is a whole number of units, of which a distance of 1 has so many that every other
# distance has a whole number too (for windows up to 22). Sums of whole numbers do not depend on
# their order, so neither threads nor memory change a count.

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
