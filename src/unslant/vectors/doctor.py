"""Read an entire file without stopping, and list all of its problems."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.files import Progress, sha256_of_file
from unslant.vectors.assemble import ReadPolicy, assemble
from unslant.vectors.blocks import Problem
from unslant.vectors.formats.detect import detect, read
from unslant.vectors.load import load
from unslant.vectors.sinks import MemorySink

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
