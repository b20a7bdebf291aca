"""Texts and counts made for the tests of GloVe."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from unslant.models.glove.counts import Counts, write_cells

PAIRS = (
    ("woman", "man"),
    ("queen", "king"),
    ("mother", "father"),
    ("sister", "brother"),
    ("girl", "boy"),
    ("aunt", "uncle"),
)


def by_hand(
    documents: Sequence[Sequence[str]], window: int, minimum: int
) -> dict[tuple[str, str], Fraction]:
    """X of words in documents, by its definition: over all ordered pairs of places."""
    often = Counter(word for words in documents for word in words)
    found: dict[tuple[str, str], Fraction] = {}
    for words in documents:
        kept = [word for word in words if often[word] >= minimum]
        for here, word in enumerate(kept):
            for there, other in enumerate(kept):
                if here != there and abs(here - there) <= window:
                    pair = (word, other)
                    found[pair] = found.get(pair, Fraction(0)) + Fraction(1, abs(here - there))
    return found


def counts_from(X: np.ndarray, folder: Path, words: Sequence[str] | None = None) -> Counts:
    """Counts whose cells are the positive numbers of a symmetric matrix."""
    i, j = np.nonzero(np.triu(X > 0))
    keys = (i.astype(np.int64) << 32) | j
    folder.mkdir(exist_ok=True)
    write_cells([(keys, X[i, j].astype(np.float64))], folder / "cells.bin", 0, len(keys))
    words = tuple(words or (f"w{n}" for n in range(len(X))))
    return Counts(folder, "made", words, np.ones(len(X), dtype=np.int64), {})


def leaning_text(sentences: int = 6000, neutral: int = 120, seed: int = 0) -> str:
    """Sentences of one group's word and neutral words, half of which prefer one group."""
    rng = np.random.default_rng(seed)
    words = np.array([f"x{chr(97 + n // 26)}{chr(97 + n % 26)}q" for n in range(neutral)])
    lean = np.linspace(-1, 1, neutral)
    topic = rng.integers(6, size=neutral)
    lines = []
    for _ in range(sentences):
        group, pair, about = rng.integers(2), rng.integers(len(PAIRS)), rng.integers(6)
        chance = np.exp(1.5 * (lean if group else -lean) + 1.5 * (topic == about))
        drawn = rng.choice(words, size=7, p=chance / chance.sum()).tolist()
        drawn.insert(int(rng.integers(8)), PAIRS[pair][group])
        lines.append(" ".join(drawn))
    return "\n".join(lines)
