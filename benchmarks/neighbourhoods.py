"""GIPE of 50,000 words × 100 neighbours, against the matrix products that it cannot do without."""

from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, memory, slower

ROWS, DIM = 50_000, 100
AT_MOST = 1.5
_LARGEST_MEMORY = 2 << 30


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """The whole measure beside the products of all pairs of words."""
    say("neighbourhoods: GIPE on the built-in words and on as many random ones")
    ours, floor = measure(Contender(unslant_gipe, rows), Contender(products_alone, rows), runs=2)
    title = f"GIPE, {rows:,} words × 100 neighbours"
    floor_name = "the matrix products alone"
    result = slower(title, ours.seconds, floor_name, floor.seconds, AT_MOST)
    name = "GIPE, anonymous memory at its peak"
    return [result, memory(name, ours.peak_anonymous, "2 GiB", _LARGEST_MEMORY, 1.0)]


def unslant_gipe(rows: int) -> Callable[[], float | None]:
    """GIPE over the plain words of a space of random vectors with real words among them."""
    import unslant as us

    vectors = _space(rows)
    _ = vectors.content_hash
    gender = us.concept("gender")
    policy = us.WordPolicy(missing="drop")
    return lambda: us.measure(f"gipe(vocabulary={rows})", vectors, gender, policy).value


def products_alone(rows: int) -> Callable[[], float]:
    """All cosines of the same words, in blocks, and nothing else."""
    import numpy as np

    from unslant.numerics.chunks import row_blocks

    matrix = _space(rows).matrix
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def action() -> float:
        total = 0.0
        for block in row_blocks(rows, 4 * rows, 64 << 20):
            total += float((unit[block] @ unit.T)[0, 0])
        return total

    return action


def _space(rows: int):  # type: ignore[no-untyped-def]
    """The built-in words first, then made-up ones, so that the gender lists are there."""
    import numpy as np

    import unslant as us
    from unslant.core.lineage import Lineage
    from unslant.vectors import Vocabulary, WordVectors

    known = us.load()
    letters = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", dtype="S1")
    rng = np.random.default_rng(0)
    extra = max(0, rows - len(known))
    drawn = rng.choice(letters, (extra, 12)).view("S12").ravel().astype(str)
    made_up = np.unique(drawn).tolist()
    noise = rng.normal(scale=0.4, size=(len(made_up), known.dim)).astype(np.float32)
    words = [*known.words, *made_up]
    matrix = np.concatenate([known.matrix, noise])
    return WordVectors(Vocabulary.of(words[:rows]), matrix[:rows], Lineage("mixed"))
