"""Vectors files as sources to read into memory or the cache, and what identifies them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NoReturn, Protocol, TypeVar

from unslant.core.errors import DamagedFileError
from unslant.core.files import Progress
from unslant.vectors.assemble import ReadPolicy, assemble
from unslant.vectors.blocks import Problem
from unslant.vectors.formats import safetensors
from unslant.vectors.formats.detect import Detected, read
from unslant.vectors.sinks import Sink
from unslant.vectors.vocabulary import Vocabulary
from unslant.vectors.wordvectors import ContentHash, expect_finite

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
        """What the file itself says."""
        return found
