"""The counts of a corpus in a folder: made once, and used by every training that needs the same."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError, FileFormatError, OutputError
from unslant.core.files import Progress, sha256_of_file, write_text
from unslant.core.sealed_json import with_seal, without_seal
from unslant.models.glove.cells import CELL, write_cells
from unslant.models.glove.counting import counted
from unslant.models.glove.settings import CountSettings
from unslant.models.glove.tokens import files_of, ranked_text

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
