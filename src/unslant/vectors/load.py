"""Load word vectors from any file that can be read safely."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from unslant.core.errors import DamagedFileError, FileFormatError, OutputError, UnslantError
from unslant.core.files import (
    Fingerprint,
    Progress,
    cache_folder,
    hashed_meanwhile,
    partial_file,
    sha256_of_file,
)
from unslant.core.lineage import Lineage
from unslant.vectors.assemble import FileSink, MemorySink, ReadPolicy, assemble
from unslant.vectors.blocks import Problem
from unslant.vectors.cache import Cache, Foreign, Native, VectorsSource
from unslant.vectors.formats import safetensors
from unslant.vectors.formats.detect import Detected, detect, read
from unslant.vectors.keyed import KeyedVectors, from_keyed
from unslant.vectors.wordvectors import WordVectors, check_limit

# The built-in vectors, so that everything works before any download.

BUILTIN = "builtin"
"""The name of these vectors, accepted in place of a file."""
CUT_FROM = "7fa9ed247d16a4817865e3f0eb6f352990b4b3cfe1d4550769a6363142e8a0cd"
"""The content hash of the full vectors, whose file hash is in the header."""


@cache
def builtin() -> WordVectors:
    """A slice of GloVe 6B 100d (Pennington, Socher and Manning 2014; PDDL 1.0)."""
    file = files("unslant.vectors") / "data" / "glove.6B.100d.slice.safetensors"
    with as_file(file) as path, safetensors.opened(path) as stored:
        matrix = np.concatenate(list(stored.blocks()))
    return WordVectors(
        stored.words,
        matrix,
        Lineage("glove.6B.100d.slice"),
        origin={**stored.facts["origin"], "ancestors": [CUT_FROM]},
        content_hash=stored.facts["content_hash"],
    )


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
    """Word vectors from a file, or the built-in ones if no file is given.

    The format is recognised by content: GloVe, word2vec and fastText text (also as gz, xz, bz2
    or zip), word2vec binary, npz and Unslant's safetensors. ``limit`` keeps the first (most
    frequent) words, ``only`` the given ones. The first load checks the entire file; later
    loads map it from the cache. gensim's ``KeyedVectors`` are accepted too, and copied.

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
            vectors = _load_native(Native(detected), store, progress)
        else:
            vectors = _load(Foreign(detected, policy), store, limit, progress)
    if limit is not None:
        vectors = vectors.head(limit)
    return vectors if only is None else vectors.only(only)


def _keyed(given: Any) -> KeyedVectors:
    if isinstance(given, KeyedVectors):
        return given
    hint = " Load its vectors: us.load(model.wv)." if hasattr(given, "wv") else ""
    raise UnslantError(
        f"Expected the path of a vectors file, or gensim KeyedVectors, not "
        f"{type(given).__name__}.{hint}"
    )


def load_kept(path: Path) -> WordVectors:
    """Vectors that Unslant saved in its own folder: mapped, and all of them checked now."""
    with safetensors.opened(path) as stored:
        rows = stored.mapped()
    rows.whole()
    facts = stored.facts
    return WordVectors(
        stored.words,
        rows,
        _lineage(facts, Detected(path, "safetensors")),
        origin=facts.get("origin", {}),
        content_hash=facts.get("content_hash"),
    )


def _load_native(source: Native, store: Cache | None, progress: Progress | None) -> WordVectors:
    """Our own format always loads: if the cache cannot be used, into memory."""
    if store:
        with suppress(OutputError):
            return _load(source, store, None, progress)
    return _load(source, None, None, progress)


def _load(
    source: VectorsSource, store: Cache | None, limit: int | None, progress: Progress | None
) -> WordVectors:
    path = source.detected.path
    # Taken before the file is hashed: one fingerprint must hold from the hash to the last byte.
    before = Fingerprint.of(path)
    if store is None:
        return _read_to_memory(source, limit, progress, before)[0]
    with _telling_how_to_do_without(store):
        store.prepare()
        sha256 = store.recalled_sha256(path, before)
        if sha256 is None and store.may_hold(before.size):
            sha256 = store.sha256(path, progress)
    if sha256 is not None:
        vectors = _found(source, store, store.entry(before.size, source.key(sha256)), progress)
        if vectors is not None:
            return vectors
    if limit is not None:  # part of a file does not justify an entry
        vectors, sha256 = _read_to_memory(source, limit, progress, before)
    else:
        with _telling_how_to_do_without(store):
            entry, sha256 = _read_to_file(source, store, sha256, progress, before)
        vectors = _mapped(source.detected, store, entry)
    with _telling_how_to_do_without(store):
        store.remember(path, before, {"sha256": sha256})
    return vectors


@contextmanager
def _telling_how_to_do_without(store: Cache) -> Iterator[None]:
    try:
        yield
    except (OSError, OutputError) as error:
        reason = getattr(error, "strerror", None) or str(error).rstrip(".")
        raise OutputError(
            f"The cache {store.folder} cannot be used ({reason}). Choose another folder with "
            f"UNSLANT_CACHE, or load without it ([[cache=False|--no-cache]])."
        ) from error


def _found(
    source: VectorsSource, store: Cache, entry: Path, progress: Progress | None
) -> WordVectors | None:
    """A cache entry; a damaged one is reported, removed and rebuilt."""
    if not entry.is_symlink() and not entry.exists():
        return None
    try:
        return _mapped(source.detected, store, entry)
    except FileNotFoundError:  # another process has just cleared the cache
        return None
    except (DamagedFileError, FileFormatError):
        entry.unlink(missing_ok=True)
        if progress:
            progress("Rebuilding a damaged cache entry", 0, 0)
        return None


def _mapped(detected: Detected, store: Cache, entry: Path) -> WordVectors:
    if entry.is_symlink():
        raise DamagedFileError(f"{entry} is a link. Cache entries must be files; remove it.")
    with safetensors.opened(entry) as stored:
        if stored.seal is None or stored.facts.get("entry") != entry.name:
            raise DamagedFileError(f"{entry} belongs to another file. Remove it.")
        rows = stored.mapped()
    return WordVectors(
        stored.words,
        rows,
        _lineage(stored.facts, detected),
        origin=stored.facts.get("origin", {}),
        content_hash=stored.facts.get("content_hash"),
        hash_memory=store.hash_memory(stored.seal),
    )


def _lineage(facts: dict[str, Any], detected: Detected) -> Lineage:
    steps = tuple(str(step) for step in facts.get("steps", ()))
    return Lineage(facts.get("name", detected.name), steps) if steps else Lineage(detected.name)


def _read_to_memory(
    source: VectorsSource, limit: int | None, progress: Progress | None, before: Fingerprint
) -> tuple[WordVectors, str]:
    path = source.detected.path
    with hashed_meanwhile(path) as sha256:
        try:
            sink, words, found = source.read(MemorySink, limit, progress)
        except MemoryError as error:
            raise UnslantError(
                f"{source.detected.shown} does not fit into memory. Load it with the cache "
                f"(without [[cache=False|--no-cache]]), which needs little memory, or load "
                f"only its first words "
                f"([[limit=…|--limit]])."
            ) from error
        digest = sha256()
    _expect_unchanged(path, before)
    facts = source.facts(found, digest)
    return WordVectors(
        words,
        sink.matrix(),
        _lineage(facts, source.detected),
        origin=facts.get("origin", {}),
        content_hash=facts.get("content_hash"),
    ), digest


def _expect_unchanged(path: Path, before: Fingerprint) -> None:
    if Fingerprint.of(path) != before:
        raise DamagedFileError(
            f"{path} changed while it was being read. Wait until it is complete and load it again."
        )


def _read_to_file(
    source: VectorsSource,
    store: Cache,
    known_sha256: str | None,
    progress: Progress | None,
    before: Fingerprint,
) -> tuple[Path, str]:
    """Read, check, hash and write in one pass; the entry is named when the hash is known.

    It is not flushed to disk: an entry damaged by a power failure does not match its seal and is
    rebuilt.
    """
    path = source.detected.path
    with ExitStack() as stack:
        partial = stack.enter_context(partial_file(store.vectors, "entry", durable=False))
        sha256 = None if known_sha256 else stack.enter_context(hashed_meanwhile(path))

        def to_file(dim: int, rows: int | None) -> FileSink:
            return stack.enter_context(FileSink(partial.stream, dim))

        sink, words, found = source.read(to_file, None, progress)
        digest = sha256() if sha256 else str(known_sha256)
        _expect_unchanged(path, before)
        entry = store.entry(before.size, source.key(digest))
        sink.finish(words, {**source.facts(found, digest), "entry": entry.name})
        partial.target = entry
    return entry, digest


# Read an entire file without stopping, and list all of its problems.

MOST_LISTED = 1000


@dataclass(frozen=True)
class Diagnosis:
    """A file's format and problems; ``counts`` includes problems that are not listed."""

    path: str
    facts: dict[str, Any]
    problems: tuple[Problem, ...]
    counts: dict[str, int]

    @property
    def is_sound(self) -> bool:
        """Whether the file loads unchanged."""
        return not self.counts


def diagnose(path: str | Path, progress: Progress | None = None) -> Diagnosis:
    """Every problem in a file, with line numbers, as far as it can be read."""
    problems: list[Problem] = []
    counts: Counter[str] = Counter()

    def report(problem: Problem) -> None:
        counts[problem.kind] += 1
        if len(problems) < MOST_LISTED:
            problems.append(problem)

    facts: dict[str, Any] = {}
    try:
        detected = detect(path)
        facts = {"format": detected.format, "compression": detected.compression}
        if detected.format == "safetensors":
            vectors = load(path, cache=False)
            facts |= {"words": len(vectors), "dim": vectors.dim}
            facts["content_hash"] = vectors.content_hash
        else:
            stream, size = detected.open()
            with stream:
                reading = read(detected, stream, size, progress)
                sink = MemorySink(reading.dim)
                done = assemble(reading, sink, ReadPolicy(), report)
            facts |= {"words": len(done.words), **done.facts}
            facts["zero_vectors"] = int((~sink.matrix().any(axis=1)).sum())
        facts["sha256"] = sha256_of_file(detected.path)
    except UnslantError as error:
        report(Problem("unreadable", str(error).rstrip("."), ""))
    problems.sort(key=lambda problem: problem.line or 0)
    return Diagnosis(str(path), facts, tuple(problems), dict(counts))
