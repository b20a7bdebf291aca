"""The vectors after a method, computed once on each machine and kept within a bound."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import DamagedFileError
from unslant.core.folders import cache_folder
from unslant.methods import fit, save_debiased
from unslant.vectors import WordVectors, load

_KEPT_OPEN = 4


def debiased_once(
    vectors: WordVectors,
    method: str,
    concept: Concept,
    policy: WordPolicy,
    inputs: Mapping[str, Any],
    most_bytes: int,
) -> WordVectors:
    """The vectors after a method; ``inputs`` is everything that they depend on.

    The first process to need them fits the method and writes the result; the others on this
    machine wait for it and map the same file. The files used least recently go first when the
    folder grows over its bound.
    """
    plain = json.dumps(inputs, sort_keys=True)
    path = _folder() / f"{hashlib.sha256(plain.encode()).hexdigest()[:24]}.safetensors"
    with _alone(path):
        if path.exists():
            try:
                os.utime(path)
                return _mapped(path)
            except DamagedFileError:
                path.unlink()
        save_debiased(vectors, fit(method, vectors, concept, policy), path)
        _shrink(path.parent, most_bytes, path)
        return _mapped(path)


def _folder() -> Path:
    folder = cache_folder() / "studies"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@lru_cache(maxsize=_KEPT_OPEN)
def _mapped(path: Path) -> WordVectors:
    return load(path, cache=False)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time; the system ends the wait if the one that works is killed."""
    with path.with_suffix(".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _shrink(folder: Path, most_bytes: int, newest: Path) -> None:
    """Remove what was used least recently; a file that is mapped stays readable to its users."""
    files = sorted(folder.glob("*.safetensors"), key=lambda file: file.stat().st_mtime_ns)
    total = sum(file.stat().st_size for file in files)
    for file in files:
        if total <= most_bytes:
            return
        if file != newest:
            total -= file.stat().st_size
            file.unlink(missing_ok=True)
