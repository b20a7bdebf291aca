"""Analogies in bulk: nearest after shifts and best partners, against loops over all pairs."""

import numpy as np
import pytest

from unslant.metrics import biased_analogies, eqt
from unslant.metrics.biased_analogies import best_partners
from unslant.metrics.eqt import nearest_after_shifts


def units(seed: int, count: int, dim: int = 5) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rows = np.random.default_rng(seed).normal(size=(count, dim))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32)


@pytest.mark.parametrize("block", [1, 64 << 20])
@pytest.mark.parametrize("is_own_out", [False, True])
def test_the_nearest_after_a_shift_is_that_of_a_loop(
    block: int, is_own_out: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eqt, "_BLOCK_BYTES", block)
    candidates = units(0, 30)
    own = np.arange(7)
    pairs = np.array([[10, 11], [12, 13], [3, 4]])
    moves = candidates[pairs[:, 1]] - candidates[pairs[:, 0]]
    found = np.concatenate(
        [
            nearest
            for _, nearest in nearest_after_shifts(
                candidates, candidates[:7], moves, pairs, own if is_own_out else None
            )
        ]
    )
    for place in range(7):
        for number, (start, end) in enumerate(pairs):
            target = candidates[place] - candidates[start] + candidates[end]
            cosines = candidates @ target / np.linalg.norm(target)
            cosines[[start, end]] = -2
            if is_own_out:
                cosines[place] = -2
            assert found[place, number] == cosines.argmax()


@pytest.mark.parametrize("block", [1, 64 << 20])
def test_the_best_partner_is_that_of_a_loop(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(biased_analogies, "_BLOCK_BYTES", block)
    rows, axis = units(1, 40), units(2, 1)[0]
    scores, partners = best_partners(rows, axis, 1.1)
    for x in range(40):
        best, place = 0.0, -1
        for y in range(40):
            gap = rows[x].astype(float) - rows[y].astype(float)
            length = np.linalg.norm(gap)
            if 0 < length <= 1.1 and gap @ axis / length > best:
                best, place = gap @ axis / length, y
        assert scores[x] == pytest.approx(best, abs=1e-5)
        assert place in (-1, partners[x])


def test_equal_vectors_differ_in_no_direction() -> None:
    rows = np.repeat(units(3, 1, dim=100), 4, axis=0)
    scores, _ = best_partners(rows, rows[0], 1.0)
    assert scores.tolist() == [0, 0, 0, 0]
