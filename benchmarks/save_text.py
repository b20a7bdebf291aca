"""Saving 20,000 × 300 as text, against gensim and numpy.savetxt.

What Unslant and gensim write reads back to the same 32-bit floats; numpy.savetxt is asked for nine
digits, which do so too, and writes no words.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, faster
from benchmarks.synthetic import SPREAD, word

ROWS, DIM = 20_000, 300
TIMES_FASTER = 5.0


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """The same numbers, made up with all their digits, by all three."""
    say(f"save_text: {rows:,} × {DIM} numbers")
    ours, peer, floor = measure(
        Contender(unslant_save, scratch / "unslant.vec", rows),
        Contender(gensim_save, scratch / "gensim.vec", rows),
        Contender(numpy_save, scratch / "numpy.txt", rows),
        runs=3,
    )
    for name in ("unslant.vec", "gensim.vec", "numpy.txt"):
        assert _reads_back(scratch / name, rows), f"{name} must hold the same floats"
    return [
        faster("saving text", ours.seconds, "gensim", peer.seconds, TIMES_FASTER),
        faster("saving text", ours.seconds, "numpy.savetxt", floor.seconds),
    ]


def _matrix(rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.random.default_rng(3).normal(0, SPREAD, (rows, DIM)).astype(np.float32)


def _reads_back(path: Path, rows: int, checked: int = 200) -> bool:
    with path.open() as stream:
        lines = [next(stream).split() for _ in range(checked + 1)]
    found = np.array([line[-DIM:] for line in lines if len(line) >= DIM][:checked]).astype("f4")
    return bool((found == _matrix(rows)[:checked]).all())


def unslant_save(path: str, rows: int) -> Callable[[], None]:
    from unslant.core.lineage import Lineage
    from unslant.vectors import Vocabulary, WordVectors
    from unslant.vectors.save import save

    words = Vocabulary.of([word(number) for number in range(rows)])
    vectors = WordVectors(words, _matrix(rows), Lineage("made up"))

    def action() -> None:
        save(vectors, path)

    return action


def gensim_save(path: str, rows: int) -> Callable[[], None]:
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(DIM)
    vectors.add_vectors([word(number) for number in range(rows)], _matrix(rows))
    return lambda: vectors.save_word2vec_format(path, binary=False)


def numpy_save(path: str, rows: int) -> Callable[[], None]:
    matrix = _matrix(rows)
    return lambda: np.savetxt(path, matrix, fmt="%.9g")
