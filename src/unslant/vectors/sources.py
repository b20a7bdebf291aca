"""Files of vectors as something to be read into memory or into the cache, and what names them."""

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
"""Makes the place where rows go, of their width and of their number where that is known."""


class Source(Protocol):
    """A file that can be read."""

    @property
    def detected(self) -> Detected:
        """Which file it is, and of which format."""

    def key(self, sha256: str) -> dict[str, object]:
        """What the content read depends on, for a file with this hash."""

    def read(
        self, make_sink: MakeSink[S], limit: int | None, progress: Progress | None
    ) -> tuple[S, Vocabulary, dict[str, Any]]:
        """Move all rows into a sink; the sink, the words and the facts about them."""

    def facts(self, found: dict[str, Any], sha256: str) -> dict[str, Any]:
        """What is stored beside the vectors."""


@dataclass(frozen=True)
class Foreign:
    """A file of any format but our own."""

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
        """Read until the end, or until ``limit`` words are there."""
        stream, size = self.detected.open()
        with stream:
            reading = read(self.detected, stream, size, progress)
            # How many rows there will be is only known from a header held against the size.
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
    """A file of our own format; whoever may have changed it, it is checked whole."""

    detected: Detected

    def key(self, sha256: str) -> dict[str, object]:
        """The file alone."""
        return {"sha256": sha256, "reader": READER_VERSION, "native": True}

    def read(
        self, make_sink: MakeSink[S], limit: int | None, progress: Progress | None
    ) -> tuple[S, Vocabulary, dict[str, Any]]:
        """Read all rows: only the whole file can be held against its hash."""
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
                f"altered or damaged; make or fetch it again."
            )
        return sink, stored.words, {**stored.facts, "content_hash": digest.hexdigest()}

    def facts(self, found: dict[str, Any], sha256: str) -> dict[str, Any]:
        """What the file itself says."""
        return found
