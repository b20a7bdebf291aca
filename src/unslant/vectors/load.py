"""Load word vectors from any file that can be read safely."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from unslant.core.errors import DamagedFileError, FileFormatError, OutputError, UnslantError
from unslant.core.files import Fingerprint, Progress, atomic_write, hashed_meanwhile
from unslant.core.folders import cache_folder
from unslant.core.lineage import Lineage
from unslant.vectors.assemble import ReadPolicy, assemble
from unslant.vectors.blocks import Problem
from unslant.vectors.builtin import BUILTIN, builtin
from unslant.vectors.cache import Cache
from unslant.vectors.formats import safetensors
from unslant.vectors.formats.detect import Detected, detect, read
from unslant.vectors.keyed import KeyedVectors, from_keyed
from unslant.vectors.sinks import FileSink, MemorySink
from unslant.vectors.vocabulary import Vocabulary
from unslant.vectors.wordvectors import WordVectors, check_limit

READER_VERSION = 2
"""Raised when the same file would be read differently, so that old cache entries are not used."""


def load(
    path: str | Path | KeyedVectors | None = None,
    *,
    limit: int | None = None,
    only: Sequence[str] | None = None,
    duplicates: str = "fail",
    undecodable: str = "fail",
    cache: bool = True,
    progress: Progress | None = None,
) -> WordVectors:
    """Word vectors from a file, or the built-in ones if no file is named.

    The format is recognised by content: GloVe, word2vec and fastText text (also as gz, xz, bz2
    or zip), word2vec binary, npz and Unslant's safetensors. ``limit`` keeps the first (most
    frequent) words, ``only`` the given ones. A file is checked whole at its first load and
    mapped from the cache afterwards. gensim's ``KeyedVectors`` are taken too, and copied.

    >>> load(limit=1000)
    <WordVectors glove.6B.100d.slice (1,000 words × 100)>
    """
    policy = ReadPolicy(duplicates=duplicates, undecodable=undecodable)
    if limit is not None:
        check_limit(limit)
    if path is None or str(path) == BUILTIN:
        vectors = builtin()
    elif not isinstance(path, str | Path):
        vectors = from_keyed(_keyed(path))
    else:
        detected = detect(path)
        store = Cache(cache_folder()) if cache else None
        if detected.format == "safetensors":
            vectors = _load_native(detected, store)
        else:
            vectors = _load_foreign(detected, policy, store, limit, progress)
    if limit is not None:
        vectors = vectors.head(limit)
    return vectors if only is None else vectors.only(only)


def _keyed(given: Any) -> KeyedVectors:
    if isinstance(given, KeyedVectors):
        return given
    hint = " Load its vectors: us.load(model.wv)." if hasattr(given, "wv") else ""
    raise UnslantError(
        f"Expected the path of a file of vectors, or gensim KeyedVectors, not "
        f"{type(given).__name__}.{hint}"
    )


def _load_native(detected: Detected, store: Cache | None) -> WordVectors:
    """Map a file of our own format; at its first load, check that it is what it says."""
    fingerprint = Fingerprint.of(detected.path)
    stored = safetensors.read(detected.path)
    vectors = from_stored(stored, detected.name)
    known = store.recall(detected.path, fingerprint) if store else None
    if known and known.get("checked") == str(READER_VERSION):
        return vectors
    stored.check_words(detected.path)
    fresh = Vocabulary(stored.words.packed)
    hash_now = WordVectors(fresh, vectors.matrix, vectors.lineage).content_hash
    (hashes, rows), (stored_hashes, stored_rows) = fresh.sorted_hashes, stored.words.sorted_hashes
    has_true_index = np.array_equal(hashes, stored_hashes) and np.array_equal(rows, stored_rows)
    if hash_now != vectors.content_hash or not has_true_index:
        raise DamagedFileError(
            f"{detected.path}: its content does not match the hash it was saved with. The file "
            f"was altered or damaged; make or fetch it again."
        )
    vectors.check_finite(str(detected.path))
    if store:
        _quietly_remember(store, detected.path, fingerprint)
    return vectors


def _quietly_remember(store: Cache, path: Path, fingerprint: Fingerprint) -> None:
    try:
        store.remember(path, fingerprint, {"checked": str(READER_VERSION)})
    except (OSError, OutputError):  # a cache that cannot be written only costs time
        return


def from_stored(stored: safetensors.Stored, name: str) -> WordVectors:
    """The vectors of a mapped file; those stored as float16 are widened in memory."""
    facts = stored.metadata
    steps = tuple(str(step) for step in facts.get("steps", ()))
    return WordVectors(
        stored.words,
        np.asarray(stored.matrix, dtype=np.float32),
        Lineage(facts.get("name", name), steps) if steps else Lineage(name),
        origin=facts.get("origin", {}),
        content_hash=facts.get("content_hash"),
    )


def _load_foreign(
    detected: Detected,
    policy: ReadPolicy,
    store: Cache | None,
    limit: int | None,
    progress: Progress | None,
) -> WordVectors:
    # Taken before the file is hashed: one fingerprint must hold from the hash to the last byte.
    before = Fingerprint.of(detected.path)
    if store is None:
        return _read_to_memory(detected, policy, limit, progress, before)
    with _telling_how_to_do_without(store):
        store.prepare()
        digest = store.sha256(detected.path, progress)
    entry = store.entry(
        {
            "sha256": digest,
            "member": detected.member,
            "reader": READER_VERSION,
            "policy": asdict(policy),
        }
    )
    stored = _found(entry)
    if stored is None:
        if limit is not None:  # part of a file is not worth an entry
            return _read_to_memory(detected, policy, limit, progress, before)
        with _telling_how_to_do_without(store):
            _read_to_file(detected, policy, entry, digest, progress, before)
        stored = safetensors.read(entry)
    return from_stored(stored, detected.name)


@contextmanager
def _telling_how_to_do_without(store: Cache) -> Iterator[None]:
    try:
        yield
    except (OSError, OutputError) as error:
        reason = getattr(error, "strerror", None) or str(error).rstrip(".")
        raise OutputError(
            f"The cache {store.folder} cannot be used ({reason}). Choose another folder with "
            f"UNSLANT_CACHE, or load without it (--no-cache)."
        ) from error


def _found(entry: Path) -> safetensors.Stored | None:
    """An entry of the cache; one that a failing disk has damaged is removed and made again."""
    if not entry.exists():
        return None
    try:
        return safetensors.read(entry)
    except (DamagedFileError, FileFormatError):
        entry.unlink(missing_ok=True)
        return None


def _read_to_memory(
    detected: Detected,
    policy: ReadPolicy,
    limit: int | None,
    progress: Progress | None,
    before: Fingerprint,
) -> WordVectors:
    stream, size = detected.open()
    with hashed_meanwhile(detected.path) as sha256, stream:
        reading = read(detected, stream, size, progress)
        # How many rows there will be is only known from a header that was held against the size.
        declared = reading.declared_rows if size is not None else None
        expected = min(declared, limit) if declared and limit else declared
        sink = MemorySink(reading.dim, expected)
        done = assemble(reading, sink, policy, _raising(detected), limit)
        digest = sha256()
    _expect_unchanged(detected.path, before)
    facts = {**done.facts, "file": detected.path.name, "sha256": digest}
    return WordVectors(done.words, sink.matrix(), Lineage(detected.name), origin=facts)


def _expect_unchanged(path: Path, before: Fingerprint) -> None:
    if Fingerprint.of(path) != before:
        raise DamagedFileError(
            f"{path} changed while it was read. Wait until it is complete and load it again."
        )


def _read_to_file(
    detected: Detected,
    policy: ReadPolicy,
    entry: Path,
    digest: str,
    progress: Progress | None,
    before: Fingerprint,
) -> None:
    stream, size = detected.open()
    with stream, atomic_write(entry) as target:
        reading = read(detected, stream, size, progress)
        sink = FileSink(target, reading.dim)
        done = assemble(reading, sink, policy, _raising(detected))
        _expect_unchanged(detected.path, before)
        whole = WordVectors(done.words, sink.matrix(), Lineage(detected.name))
        facts = {
            "name": detected.name,
            "origin": {**done.facts, "file": detected.path.name, "sha256": digest},
            "content_hash": whole.content_hash,
        }
        sink.finish(done.words, facts)


def _raising(detected: Detected) -> Any:
    def report(problem: Problem) -> NoReturn:
        raise problem.error(detected.shown)

    return report
