"""2.2 M × 300, the size of glove.840B: load, debias and save, in little memory.

The process may hold 1 GiB for itself, less than half of the matrix, which the system enforces: an
allocation past it fails. The files that it maps come on top; their pages, of which the system
takes back what it needs, count as resident memory.
"""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.harness import Contender, into_page_cache, measure, say
from benchmarks.results import Result, faster, memory
from benchmarks.synthetic import word, write_glove_text

ROWS, DIM = 2_200_000, 300
PRIVATE, LARGEST_RESIDENT = 1 << 30, 4 << 30
LARGEST_ANONYMOUS = 600 << 20
METHOD = f'linear(subspace="pair-difference({word(1)}, {word(2)})")'
_BYTES_NEEDED_A_ROW = 6_500


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """Build the file, then do all of it in one bounded process."""
    if shutil.disk_usage(scratch).free < rows * _BYTES_NEEDED_A_ROW:
        say("large_file: left out, the scratch folder has too little room (see --scratch)")
        return []
    say(f"large_file: writing {rows:,} × {DIM} numbers")
    source, output = scratch / "glove.840B.txt", scratch / "debiased.safetensors"
    write_glove_text(source, rows, DIM)
    into_page_cache(source)
    cache = scratch / "cache"
    ours, check, read, copy = measure(
        Contender(load_and_debias, source, cache, output, private=PRIVATE),
        Contender(largest_error, source, cache, output),
        Contender(plain_read, source),
        Contender(plain_copy, output, scratch / "copy"),
    )
    assert ours.answer["rows"] == rows
    assert check.answer < 1e-5, "the rows must be those of a direct computation"
    loading, debiasing = ours.answer["load"], ours.answer["debias"]
    return [
        faster("2.2 M text, first load", [loading], "reading the bytes", read.seconds),
        faster("2.2 M, debias and save", [debiasing], "copying the file", copy.seconds),
        _bounded("anonymous", ours.peak_anonymous, LARGEST_ANONYMOUS),
        _bounded("resident", ours.peak_rss, LARGEST_RESIDENT),
    ]


def _bounded(kind: str, peak: int, bound: int) -> Result:
    name = f"2.2 M, load to save, {kind} memory"
    return memory(name, peak, "the bound", bound, at_most=1.0)


def load_and_debias(source: str, cache: str, output: str) -> Callable[[], dict[str, float]]:
    from unslant.concepts import concept
    from unslant.methods.pipeline import fit
    from unslant.methods.streaming import save_debiased
    from unslant.vectors import load

    shutil.rmtree(cache, ignore_errors=True)
    os.environ["UNSLANT_CACHE"] = cache

    def action() -> dict[str, float]:
        begin = time.perf_counter()
        vectors = load(source)
        loaded = time.perf_counter()
        eraser = fit(METHOD, vectors, concept("gender"))
        save_debiased(vectors, eraser, output)
        done = time.perf_counter()
        return {"rows": len(vectors), "load": loaded - begin, "debias": done - loaded}

    return action


def largest_error(source: str, cache: str, output: str) -> Callable[[], float]:
    from unslant.vectors import load
    from unslant.vectors.formats.safetensors import opened

    os.environ["UNSLANT_CACHE"] = cache

    def action() -> float:
        vectors = load(source)
        with opened(Path(output)) as stored:
            after = stored.mapped()
        a, b = (vectors[name].astype(np.float64) for name in (word(1), word(2)))
        direction = (a - b) / np.linalg.norm(a - b)
        rows = np.linspace(0, len(vectors) - 1, 1000, dtype=int)
        before = vectors.rows_at(rows).astype(np.float64)
        expected = before - np.outer(before @ direction, direction)
        return float(np.abs(after.take(rows) - expected).max())

    return action


def plain_read(source: str) -> Callable[[], None]:
    return lambda: into_page_cache(Path(source))


def plain_copy(source: str, target: str) -> Callable[[], None]:
    def action() -> None:
        with Path(source).open("rb") as stream, Path(target).open("wb") as copy:
            while block := stream.read(4 << 20):
                copy.write(block)
            copy.flush()
            os.fsync(copy.fileno())

    return action
