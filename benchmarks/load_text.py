"""Loading GloVe text, 400,000 × 300, against gensim."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Contender, Measured, into_page_cache, measure, say
from benchmarks.results import Result, faster, memory
from benchmarks.synthetic import write_glove_text

ROWS, DIM = 400_000, 300
TIMES_FASTER = 8.0
TIMES_THE_MATRIX = 1.5


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """Both ways of ours, and gensim's."""
    say(f"load_text: writing {rows:,} × {DIM} numbers")
    path = scratch / "glove.txt"
    write_glove_text(path, rows, DIM)
    into_page_cache(path)
    uncached, first = measure(
        Contender(unslant_without_cache, path),
        Contender(unslant_first_load, path, scratch / "cache"),
        runs=2,
    )
    [peer] = measure(Contender(gensim_text, path))  # once: it takes a minute and a half
    assert uncached.answer == first.answer == peer.answer == rows
    path.unlink()
    return [
        faster("text, no cache", uncached.seconds, "gensim", peer.seconds, TIMES_FASTER),
        faster("text, first load", first.seconds, "gensim", peer.seconds, TIMES_FASTER),
        *memory_results("text", 4 * rows * DIM, uncached, first, peer),
    ]


def memory_results(
    what: str, matrix: int, uncached: Measured, first: Measured, peer: Measured
) -> list[Result]:
    """Peaks of memory of the three ways, as multiples of the matrix that they load."""
    return [
        memory(f"{what}, {way}, {kind} memory", peak, "the matrix", matrix, bound)
        for way, measured, bound in (
            ("no cache", uncached, TIMES_THE_MATRIX),
            ("first load", first, TIMES_THE_MATRIX),
            ("gensim itself", peer, None),
        )
        for kind, peak in (
            ("resident", measured.peak_rss),
            ("anonymous", measured.peak_anonymous),
        )
    ]


def unslant_without_cache(path: str) -> Callable[[], int]:
    from unslant.vectors import load

    return lambda: len(load(path, cache=False))


def unslant_first_load(path: str, cache: str) -> Callable[[], int]:
    from unslant.vectors import load

    shutil.rmtree(cache, ignore_errors=True)
    os.environ["UNSLANT_CACHE"] = cache
    return lambda: len(load(path))


def gensim_text(path: str) -> Callable[[], int]:
    from gensim.models import KeyedVectors

    return lambda: len(KeyedVectors.load_word2vec_format(path, binary=False, no_header=True))
