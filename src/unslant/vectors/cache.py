"""Files that are read once and memory-mapped afterwards.

An entry is named by the content of the source file and by how it was read, never by its path, so
a changed file never finds the old entry. To identify a file's content without hashing it again,
its fingerprint (size, times, inode) is stored with its hash, as in version control systems.
Set ``UNSLANT_CACHE`` to move the cache; ``unslant files cache`` shows and clears it.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar

from unslant.core.errors import DamagedFileError, OutputError
from unslant.core.files import Fingerprint, Progress, atomic_write, own_folder, sha256_of_file
from unslant.vectors.assemble import ReadPolicy, Sink, assemble
from unslant.vectors.blocks import Problem
from unslant.vectors.formats import safetensors
from unslant.vectors.formats.detect import Detected, read
from unslant.vectors.vocabulary import Vocabulary
from unslant.vectors.wordvectors import ContentHash, expect_finite

_RACY_NS = 2_000_000_000
_STALE_SECONDS = 24 * 3600


@dataclass(frozen=True)
class Cache:
    """A folder of mapped copies and of the hashes of known files."""

    folder: Path

    @property
    def vectors(self) -> Path:
        """The folder of the mapped copies."""
        return self.folder / "vectors"

    def entry(self, size: int, key: dict[str, object]) -> Path:
        """The path of the mapped copy of a file of this size, content and reading."""
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        return self.vectors / f"{size}-{digest}.safetensors"

    def may_hold(self, size: int) -> bool:
        """Whether there is an entry for a file of this size, so that hashing it is worthwhile."""
        return any(self.vectors.glob(f"{size}-*"))

    def prepare(self) -> None:
        """Create the folders, and remove old files left behind by killed processes."""
        for folder in (self.folder, self.vectors, self.folder / "seen"):
            own_folder(folder)
        oldest = time.time() - _STALE_SECONDS
        for partial in self.folder.glob("*/.*.partial"):
            with suppress(FileNotFoundError):  # the process that writes it may finish just now
                if partial.stat().st_mtime < oldest:
                    partial.unlink()

    def sha256(self, path: Path, progress: Progress | None = None) -> str:
        """The hash of a file's content, stored from last time if the file is unchanged."""
        self.prepare()
        fingerprint = Fingerprint.of(path)
        known = self.recalled_sha256(path, fingerprint)
        if known is not None:
            return known
        digest = sha256_of_file(path, progress)
        self.remember(path, fingerprint, {"sha256": digest})
        return digest

    def recalled_sha256(self, path: Path, fingerprint: Fingerprint) -> str | None:
        """The stored hash of a file that still has this fingerprint."""
        note = read_note(self._note(path))
        if note is None or note.get("fingerprint") != asdict(fingerprint):
            return None
        return str(note["facts"]["sha256"])

    def remember(self, path: Path, fingerprint: Fingerprint, facts: dict[str, str]) -> None:
        """Store facts about a file, unless it changed since or may still change unnoticed."""
        # A file written just now could change again within one tick of its clock.
        touched_ns = max(fingerprint.modified_ns, fingerprint.changed_ns)
        is_settled = time.time_ns() - touched_ns > _RACY_NS
        if is_settled and Fingerprint.of(path) == fingerprint:
            note = {"path": path.name, "fingerprint": asdict(fingerprint), "facts": facts}
            write_note(self._note(path), note)

    def hash_memory(self, seal: bytes) -> "RememberedHash":
        """The path of the content hash of the entry with this seal."""
        return RememberedHash(self.folder / "seen" / f"{seal.hex()}.hash.json", seal.hex())

    def files(self) -> Iterator[Path]:
        """All files in the cache."""
        if self.folder.is_dir():
            yield from (path for path in self.folder.glob("*/*") if path.is_file())

    def clear(self) -> tuple[int, int]:
        """Remove everything; return how many files and bytes were removed."""
        count = size = 0
        for path in self.files():
            with suppress(FileNotFoundError):  # another process may be clearing it too
                size += path.stat().st_size
                path.unlink()
                count += 1
        return count, size

    def _note(self, path: Path) -> Path:
        digest = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()
        return self.folder / "seen" / f"{digest}.json"


@dataclass(frozen=True)
class RememberedHash:
    """The content hash of an entry, computed on first use."""

    path: Path
    seal: str

    def recall(self) -> str | None:
        """The hash, if it was computed before."""
        note = read_note(self.path)
        return str(note["content_hash"]) if note and note.get("seal") == self.seal else None

    def remember(self, content_hash: str) -> None:
        """Store the hash; a cache that cannot be written only costs time."""
        with suppress(OSError, OutputError):
            write_note(self.path, {"seal": self.seal, "content_hash": content_hash})


def write_note(path: Path, facts: dict[str, Any]) -> None:
    """Store facts, completely or not at all.

    They are not flushed to disk: a file damaged by a power failure does not match its seal and is
    ignored.
    """
    text = json.dumps(facts, sort_keys=True)
    with atomic_write(path, durable=False) as stream:
        stream.write(f"{_seal(text)}\n{text}".encode())


def read_note(path: Path) -> dict[str, Any] | None:
    """The facts as written, or None if they are missing or damaged."""
    try:
        if path.is_symlink():
            return None
        seal, _, text = path.read_bytes().decode().partition("\n")
        facts = json.loads(text) if seal == _seal(text) else None
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) else None


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# Vectors files as sources to read into memory or the cache, and what identifies them.

READER_VERSION = 3
"""Raised when the same file would be read differently, so that old cache entries are not used."""

S = TypeVar("S", bound=Sink)
MakeSink = Callable[[int, int | None], S]
"""Creates the sink for rows, given their width and, if known, their number."""


class VectorsSource(Protocol):
    """A file that can be read."""

    @property
    def detected(self) -> Detected:
        """The file and its format."""

    def key(self, sha256: str) -> dict[str, object]:
        """Everything that determines the content read, for a file with this hash."""

    def read(
        self, make_sink: MakeSink[S], limit: int | None, progress: Progress | None
    ) -> tuple[S, Vocabulary, dict[str, Any]]:
        """Move all rows into a sink; the sink, the words and the facts about them."""

    def facts(self, found: dict[str, Any], sha256: str) -> dict[str, Any]:
        """The facts stored with the vectors."""


@dataclass(frozen=True)
class Foreign:
    """A file in any format except our own."""

    detected: Detected
    policy: ReadPolicy

    def key(self, sha256: str) -> dict[str, object]:
        """The file, the member of an archive, and how odd words are treated."""
        return {
            "sha256": sha256,
            "member": self.detected.member,
            "reader": READER_VERSION,
            "policy": asdict(self.policy),
        }

    def read(
        self, make_sink: MakeSink[S], limit: int | None, progress: Progress | None
    ) -> tuple[S, Vocabulary, dict[str, Any]]:
        """Read until the end, or until there are ``limit`` words."""
        stream, size = self.detected.open()
        with stream:
            reading = read(self.detected, stream, size, progress)
            # The number of rows is known only from a header that was checked against the size.
            declared = reading.declared_rows if size is not None else None
            expected = min(declared, limit) if declared and limit else declared
            sink = make_sink(reading.dim, expected)
            done = assemble(reading, sink, self.policy, self._raise, limit)
        return sink, done.words, done.facts

    def facts(self, found: dict[str, Any], sha256: str) -> dict[str, Any]:
        """How the file was read, and which file it was."""
        origin = {**found, "file": self.detected.path.name, "sha256": sha256}
        return {"name": self.detected.name, "origin": origin}

    def _raise(self, problem: Problem) -> NoReturn:
        raise problem.error(self.detected.shown)


@dataclass(frozen=True)
class Native:
    """A file in our own format; all of it is checked, because anyone may have changed it."""

    detected: Detected

    def key(self, sha256: str) -> dict[str, object]:
        """Only the file."""
        return {"sha256": sha256, "reader": READER_VERSION, "native": True}

    def read(
        self, make_sink: MakeSink[S], limit: int | None, progress: Progress | None
    ) -> tuple[S, Vocabulary, dict[str, Any]]:
        """Read all rows: only the complete file can be checked against its hash."""
        path = self.detected.path
        with safetensors.opened(path) as stored:
            stored.check_words()
            rows, dim = stored.shape
            sink, digest, done = make_sink(dim, rows), ContentHash(stored.words, dim), 0
            for block in stored.blocks():
                expect_finite(block, stored.words, done, str(path))
                digest.update(block)
                sink.append(block)
                done += len(block)
                if progress:
                    progress("Reading", done, rows)
        if stored.facts.get("content_hash", digest.hexdigest()) != digest.hexdigest():
            raise DamagedFileError(
                f"{path}: its content does not match the hash it was saved with. The file was "
                f"altered or damaged; create or download it again."
            )
        return sink, stored.words, {**stored.facts, "content_hash": digest.hexdigest()}

    def facts(self, found: dict[str, Any], sha256: str) -> dict[str, Any]:
        """Facts stated by the file itself."""
        return found
