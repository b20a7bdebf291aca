"""The counts of a corpus in a folder: made once, and used by every training that needs the same."""

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError, FileFormatError, OutputError
from unslant.core.files import Progress, sha256_of_file, write_text
from unslant.core.sealed import with_seal, without_seal
from unslant.core.seeds import generator
from unslant.models.glove.counting import counted, files_of, ranked_text
from unslant.models.glove.settings import CountSettings

# The counted pairs in random order, in one file that a training reads again and again.
#
# The order is uniform and depends on the counts and the seed only: each pair goes to one of
# several buckets by a hash of its key, and each bucket, which fits into memory, is permuted.

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


_VERSION = "glove-counts-2"
_FACTS, _CELLS, _WORDS = "counts.json", "cells.bin", "words.txt"


@dataclass(frozen=True, eq=False)
class Counts:
    """The words of a corpus, most frequent first, and a file of its cells in random order."""

    folder: Path
    identity: str
    words: tuple[str, ...]
    frequencies: NDArray[np.int64]
    facts: dict[str, Any]

    @property
    def cells(self) -> NDArray[np.void]:
        """The counted pairs, mapped from their file."""
        return np.asarray(np.memmap(self.folder / _CELLS, dtype=CELL, mode="r"))


def counts_of(
    corpus: Path,
    how: CountSettings,
    folder: Path,
    *,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Counts:
    """The counts of a corpus: those in ``folder`` if they are of the same text and settings."""
    files = files_of(corpus)
    hashes = [sha256_of_file(path, progress) for path in files]
    # Memory and threads do not change the counts.
    chosen = {key: value for key, value in asdict(how).items() if key != "memory"}
    wanted = json.dumps([_VERSION, hashes, chosen, seed], sort_keys=True)
    identity = hashlib.sha256(wanted.encode()).hexdigest()
    if (folder / _FACTS).exists():
        return _read(folder, identity)
    with _written(folder) as part:
        text = ranked_text(files, how, part, progress)
        bound = min(text.path.stat().st_size // 4 * how.window, len(text.words) ** 2)
        pieces = counted(text, how, part, threads, progress)
        cells = write_cells(pieces, part / _CELLS, seed, bound, progress)
        if not cells:
            raise FileFormatError(f"No two words of {corpus} occur near each other.")
        text.path.unlink()
        lines = (f"{word} {n}\n" for word, n in zip(text.words, text.counts.tolist(), strict=True))
        write_text(part / _WORDS, "".join(lines))
        facts = {
            "identity": identity,
            "files": [path.name for path in files],
            "sha256": hashes,
            "tokens": text.tokens,
            "different_words": text.types,
            "words": len(text.words),
            "tokens_in_vocabulary": int(text.counts.sum()),
            "cells": cells,
            "words_sha256": sha256_of_file(part / _WORDS),
            "cells_sha256": sha256_of_file(part / _CELLS),
            **chosen,
        }
        write_text(part / _FACTS, json.dumps(with_seal(facts), indent=1))
    return _read(folder, identity)


def _read(folder: Path, identity: str) -> Counts:
    try:
        facts = without_seal(json.loads((folder / _FACTS).read_text(encoding="utf-8")))
        if facts["identity"] != identity:
            raise OutputError(
                f"{folder} has counts of other text or settings. Remove it, or name another folder."
            )
        for name in (_CELLS, _WORDS):
            if sha256_of_file(folder / name) != facts[f"{name.partition('.')[0]}_sha256"]:
                raise ValueError(f"{name} was changed")
        lines = (folder / _WORDS).read_text(encoding="utf-8").splitlines()
        words, numbers = zip(*(line.split(" ") for line in lines), strict=True)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise DamagedFileError(
            f"{folder} is not a complete folder of counts ({error}). Remove it; it will be made "
            f"again."
        ) from error
    return Counts(folder, identity, words, np.array(numbers, dtype=np.int64), facts)


@contextmanager
def _written(folder: Path) -> Iterator[Path]:
    """A folder that gets its name when all of it is written, and is removed otherwise."""
    part = folder.with_name(f".{folder.name}.partial")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        yield part
        part.replace(folder)
    except OSError as error:
        raise OutputError(f"Cannot write {folder}: {error.strerror}.") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
