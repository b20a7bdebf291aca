"""Google analogies on 300,000 × 100 vectors, against gensim.

Needs the full GloVe 6B 100d (``UNSLANT_GLOVE``) and the questions (``UNSLANT_DATA`` or fetched).
"""

import os
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, faster

ROWS = 300_000
TIMES_FASTER = 10.0
_EVERY = 10


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """Both tools on the same words; gensim answers every tenth question, scaled up."""
    path = os.environ.get("UNSLANT_GLOVE")
    if not path:
        say("analogies: left out, UNSLANT_GLOVE does not name the full GloVe 6B 100d file")
        return []
    ours, peer = measure(
        Contender(unslant_analogies, path, rows),
        Contender(gensim_analogies, path, rows, scratch / "questions.txt"),
        runs=2,
    )
    scaled = [seconds * _EVERY for seconds in peer.seconds]
    name = f"Google analogies, {rows:,} × 100 ({ours.answer:.4f} right)"
    against = f"gensim, a tenth of the questions ({peer.answer:.4f} right) scaled"
    return [faster(name, ours.seconds, against, scaled, TIMES_FASTER)]


def unslant_analogies(path: str, rows: int) -> Callable[[], float | None]:
    """All questions, without the interval's share of the time being left out."""
    import unslant as us

    vectors = us.load(path)
    _ = vectors.content_hash
    return lambda: us.measure(f"analogy(dataset=google, restrict={rows})", vectors).value


def gensim_analogies(path: str, rows: int, questions: str) -> Callable[[], float]:
    """Every tenth question of each section."""
    from gensim.models import KeyedVectors

    import unslant as us
    from unslant.datasets.registry import find

    vectors = us.load(path)
    keyed = KeyedVectors(vectors.dim)
    keyed.add_vectors(list(vectors.words), vectors.matrix)
    lines = find("analogy/google").read_text(encoding="utf-8").splitlines()
    kept = [line for n, line in enumerate(lines) if line.startswith(":") or n % _EVERY == 0]
    Path(questions).write_text("\n".join(kept) + "\n", encoding="utf-8")
    return lambda: float(keyed.evaluate_word_analogies(questions, restrict_vocab=rows)[0])
