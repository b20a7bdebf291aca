"""Files that were read once and are mapped from then on.

An entry is named by the content of the source file and by how it was read, never by its path, so
a changed file never finds the entry of the old one. To know a file's content without hashing it
anew, its fingerprint (size, times, inode) is remembered beside its hash, as version control does.
Set ``UNSLANT_CACHE`` to move the cache; ``unslant cache`` shows and clears it.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from unslant.core.files import Fingerprint, Progress, sha256_of_file, write_text

_RACY_NS = 2_000_000_000
_STALE_SECONDS = 24 * 3600


@dataclass(frozen=True)
class Cache:
    """A folder of mapped copies and of the hashes of files seen before."""

    folder: Path

    def entry(self, key: dict[str, object]) -> Path:
        """Where the mapped copy of a file with this content and reading belongs."""
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        return self.folder / "vectors" / f"{digest}.safetensors"

    def prepare(self) -> None:
        """Make the folders, and remove what killed processes left behind long ago."""
        for name in ("vectors", "seen"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        oldest = time.time() - _STALE_SECONDS
        for partial in self.folder.glob("*/.*.partial"):
            with suppress(FileNotFoundError):  # the process that writes it may finish just now
                if partial.stat().st_mtime < oldest:
                    partial.unlink()

    def sha256(self, path: Path, progress: Progress | None = None) -> str:
        """The hash of a file's content, remembered from last time if nobody touched the file."""
        fingerprint = Fingerprint.of(path)
        known = self.recall(path, fingerprint)
        if known and "sha256" in known:
            return known["sha256"]
        digest = sha256_of_file(path, progress)
        self.remember(path, fingerprint, {"sha256": digest})
        return digest

    def recall(self, path: Path, fingerprint: Fingerprint) -> dict[str, str] | None:
        """What was remembered of a file that still has this fingerprint."""
        try:
            note = json.loads(self._note(path).read_text())
        except (OSError, ValueError):
            return None
        if not isinstance(note, dict) or note.get("fingerprint") != asdict(fingerprint):
            return None
        facts = note.get("facts")
        return facts if isinstance(facts, dict) else None

    def remember(self, path: Path, fingerprint: Fingerprint, facts: dict[str, str]) -> None:
        """Remember facts of a file, unless it changed since or may yet change unnoticed."""
        # A file written in this very moment could change again within one tick of its clock.
        touched_ns = max(fingerprint.modified_ns, fingerprint.changed_ns)
        is_settled = time.time_ns() - touched_ns > _RACY_NS
        if is_settled and Fingerprint.of(path) == fingerprint:
            self.prepare()
            note = {"path": path.name, "fingerprint": asdict(fingerprint), "facts": facts}
            write_text(self._note(path), json.dumps(note))

    def files(self) -> Iterator[Path]:
        """All files in the cache."""
        if self.folder.is_dir():
            yield from (path for path in self.folder.glob("*/*") if path.is_file())

    def clear(self) -> tuple[int, int]:
        """Remove all; how many files and bytes that were."""
        count = size = 0
        for path in self.files():
            with suppress(FileNotFoundError):  # somebody else clears it too
                size += path.stat().st_size
                path.unlink()
                count += 1
        return count, size

    def _note(self, path: Path) -> Path:
        digest = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()
        return self.folder / "seen" / f"{digest}.json"
