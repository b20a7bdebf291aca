"""Neighbours kept: against plain loops, and what it must be by definition."""

import numpy as np
import pytest

from tests.spaces import space
from unslant.measures.running import measure
from unslant.vectors import WordVectors


def words(count: int) -> list[str]:
    return [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(count)]


def plain_loops(before: np.ndarray, after: np.ndarray, k: int) -> float:
    shares = []
    for word in range(len(before)):
        near = []
        for matrix in (before, after):
            units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
            cosines = units @ units[word]
            cosines[word] = -2
            near.append(set(np.argsort(-cosines, kind="stable")[:k].tolist()))
        shares.append(len(near[0] & near[1]) / k)
    return float(np.mean(shares))


def test_it_is_the_mean_share_of_common_neighbours() -> None:
    rng = np.random.default_rng(0)
    before = rng.standard_normal((60, 8))
    after = before + 0.5 * rng.standard_normal((60, 8))
    one, other = (space(words(60), matrix) for matrix in (before, after))
    found = measure("neighbours-kept(k=5)", other, baseline=one)
    assert found.value == pytest.approx(plain_loops(before, after, 5))
    assert found.interval is not None
    assert found.value is not None
    assert found.interval.low < found.value < found.interval.high


def test_a_space_keeps_all_neighbours_of_its_own_and_of_its_rotation(glove: WordVectors) -> None:
    small = glove.head(3_000)
    assert measure("neighbours-kept(n=200)", small).value == 1
    turn, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((small.dim, small.dim)))
    turned = WordVectors(small.words, (small.matrix @ turn).astype(np.float32), small.lineage)
    assert measure("neighbours-kept(n=200)", turned, baseline=small).value == pytest.approx(1)


def test_words_that_the_baseline_lacks_are_no_neighbours() -> None:
    rng = np.random.default_rng(2)
    matrix = rng.standard_normal((40, 6))
    shorter = space(words(40)[:30], matrix[:30])
    found = measure("neighbours-kept(k=3)", space(words(40), matrix), baseline=shorter)
    assert found.value == 1
    assert found.details["words-that-can-be-neighbours"] == 30
    alone = measure("neighbours-kept(k=30)", shorter)
    assert alone.value is None
    assert "30 words are in both" in alone.why_undefined
