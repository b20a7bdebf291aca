"""Effect sizes, streamed principal axes and two clusters agree with plain computations."""

import numpy as np
import pytest

from unslant.methods.double_hard import agreement_of_two_clusters
from unslant.methods.isr import effect_size
from unslant.numerics.linalg import mean_and_axes


def test_the_effect_size_is_the_one_of_the_definition() -> None:
    rng = np.random.default_rng(0)
    x, y, a, b = (rng.normal(size=(n, 5)) for n in (4, 6, 3, 5))

    def cos(p: np.ndarray, q: np.ndarray) -> float:
        return float(p @ q / np.sqrt(p @ p) / np.sqrt(q @ q))

    def s(w: np.ndarray) -> float:
        return float(np.mean([cos(w, p) for p in a]) - np.mean([cos(w, p) for p in b]))

    sx, sy = [s(w) for w in x], [s(w) for w in y]
    expected = (np.mean(sx) - np.mean(sy)) / np.std(sx + sy, ddof=1)
    assert effect_size(x, y, a, b) == pytest.approx(expected, abs=1e-12)


def test_no_effect_size_where_a_vector_is_zero_or_nothing_varies() -> None:
    rows, zero = np.eye(3), np.zeros((1, 3))
    assert effect_size(rows[:1], rows[1:2], rows[:1], zero) is None
    assert effect_size(rows[:1], rows[:1], rows[:1], rows[1:2]) is None


@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_axes_are_those_of_the_centred_matrix(shift: float) -> None:
    rng = np.random.default_rng(1)
    matrix = (rng.normal(size=(60_000, 9)) * np.arange(9, 0, -1) + shift).astype(np.float32)
    whole = matrix.astype(np.float64)
    centred = whole - whole.mean(axis=0)
    _, values, expected = np.linalg.svd(centred, full_matrices=False)
    seen: list[int] = []
    mean, axes, variances = mean_and_axes(matrix, lambda done, _: seen.append(done))
    assert len(seen) > 1  # more than one block
    assert seen[-1] == 60_000
    np.testing.assert_allclose(mean, whole.mean(axis=0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(variances, values**2 / 60_000, rtol=1e-9)
    np.testing.assert_allclose(np.abs(axes @ expected.T), np.eye(9), atol=1e-6)


def test_clusters_that_follow_the_sides_agree_and_others_do_not() -> None:
    rng = np.random.default_rng(2)
    is_first = np.arange(200) < 100
    rows = rng.normal(size=(200, 4)) * 0.1
    rows[is_first, 0] += 5
    assert agreement_of_two_clusters(rows, is_first, 0) == 1
    assert agreement_of_two_clusters(rows, np.arange(200) % 2 == 0, 0) == 0.5
    assert agreement_of_two_clusters(np.ones((200, 4)), is_first, 0) == 0.5
