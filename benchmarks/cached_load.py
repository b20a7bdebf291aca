"""Loading 400,000 × 300 for the second time and reading 1,000 words, against gensim's own files.

Both tools map the matrix. gensim reads all words into a dictionary; Unslant maps them too.
"""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.harness import Contender, into_page_cache, measure, say
from benchmarks.load_text import unslant_first_load
from benchmarks.results import Result, memory, within
from benchmarks.synthetic import word, write_word2vec_binary

ROWS, DIM = 400_000, 300
WORDS = 1_000
BOUND_SECONDS = 0.05


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """Fill both caches, then load from them."""
    say(f"cached_load: writing {rows:,} × {DIM} numbers")
    source, cache, native = scratch / "word2vec.bin", scratch / "cache", scratch / "gensim.kv"
    write_word2vec_binary(source, rows, DIM)
    into_page_cache(source)
    measure(Contender(unslant_first_load, source, cache), Contender(gensim_save, source, native))
    words = [word(number) for number in np.linspace(0, rows - 1, WORDS, dtype=int).tolist()]
    ours, peer = measure(
        Contender(unslant_cached, source, cache, words),
        Contender(gensim_mapped, native, words),
        runs=5,
    )
    assert np.isclose(ours.answer, peer.answer, rtol=1e-5), "both must read the same rows"
    name = f"cached load and {WORDS:,} words"
    return [
        within(name, ours.seconds, "gensim, mmap", peer.seconds, BOUND_SECONDS),
        memory(
            "cached load, anonymous memory",
            ours.peak_anonymous,
            "gensim, mmap",
            peer.peak_anonymous,
        ),
    ]


def unslant_cached(source: str, cache: str, words: list[str]) -> Callable[[], float]:
    from unslant.vectors import load

    os.environ["UNSLANT_CACHE"] = cache

    def action() -> float:
        vectors = load(source)
        return float(np.square(vectors.rows(words)).sum())

    return action


def gensim_save(source: str, native: str) -> Callable[[], None]:
    from gensim.models import KeyedVectors

    return lambda: KeyedVectors.load_word2vec_format(source, binary=True).save(native)


def gensim_mapped(native: str, words: list[str]) -> Callable[[], float]:
    from gensim.models import KeyedVectors

    return lambda: float(np.square(KeyedVectors.load(native, mmap="r")[words]).sum())
