"""Loading word2vec binary, 400,000 × 300, against gensim."""

from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Contender, into_page_cache, measure, say
from benchmarks.load_text import memory_results, unslant_first_load, unslant_without_cache
from benchmarks.results import Result, faster
from benchmarks.synthetic import write_word2vec_binary

ROWS, DIM = 400_000, 300
TIMES_FASTER = 3.0


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """Both ways of ours, and gensim's."""
    say(f"load_binary: writing {rows:,} × {DIM} numbers")
    path = scratch / "word2vec.bin"
    write_word2vec_binary(path, rows, DIM)
    into_page_cache(path)
    uncached, first, peer = measure(
        Contender(unslant_without_cache, path),
        Contender(unslant_first_load, path, scratch / "cache"),
        Contender(gensim_binary, path),
        runs=7,
    )
    assert uncached.answer == first.answer == peer.answer == rows
    path.unlink()
    return [
        faster("binary, no cache", uncached.seconds, "gensim", peer.seconds, TIMES_FASTER),
        faster("binary, first load", first.seconds, "gensim", peer.seconds, TIMES_FASTER),
        *memory_results("binary", 4 * rows * DIM, uncached, first, peer),
    ]


def gensim_binary(path: str) -> Callable[[], int]:
    from gensim.models import KeyedVectors

    return lambda: len(KeyedVectors.load_word2vec_format(path, binary=True))
