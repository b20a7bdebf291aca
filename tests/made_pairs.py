"""Made-up inference data that can be learnt, and vectors for its words."""

from collections.abc import Sequence

import numpy as np

from tests.spaces import space
from unslant.datasets.nli import Corpus, SentenceTokens, Splits
from unslant.datasets.nli.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL
from unslant.vectors import WordVectors

KINDS = 6
VOCABULARY = tuple(f"{kind}{number}" for kind in ("thing", "deed") for number in range(KINDS))


def corpus_of(
    vocabulary: tuple[str, ...], pairs: Sequence[tuple[list[int], list[int], int]]
) -> Corpus:
    """A corpus from lists of token ids."""
    sides = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    premises, hypotheses = (
        SentenceTokens(
            np.array([token for sentence in side for token in sentence], np.int32),
            np.cumsum([0, *map(len, side)]).astype(np.int64),
        )
        for side in sides
    )
    labels = np.array([pair[2] for pair in pairs], np.int8)
    return Corpus(vocabulary, premises, hypotheses, labels, {"files": ["made up"]})


def agreeing(count: int, seed: int) -> Corpus:
    """Entailed: same thing and deed; neutral: another deed; contradicted: another thing."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(count):
        thing, deed = rng.integers(KINDS, size=2).tolist()
        label = int(rng.choice([ENTAILMENT, NEUTRAL, CONTRADICTION]))
        shift = int(rng.integers(1, KINDS))
        other = (thing + shift) % KINDS if label == CONTRADICTION else thing
        other_deed = (deed + shift) % KINDS if label == NEUTRAL else deed
        premise = [thing, KINDS + deed, *([thing] * int(rng.integers(2)))]
        pairs.append((premise, [other, KINDS + other_deed], label))
    return corpus_of(VOCABULARY, pairs)


def splits(train: int = 600, dev: int = 120, seed: int = 0) -> Splits:
    """Training and dev pairs of the same making."""
    return Splits(agreeing(train, seed), agreeing(dev, seed + 1), None)


def made_vectors(dim: int = 16, seed: int = 0) -> WordVectors:
    """Random vectors for all of its words but one."""
    matrix = np.random.default_rng(seed).normal(size=(len(VOCABULARY) - 1, dim))
    return space(list(VOCABULARY[:-1]), matrix, "made-up")
