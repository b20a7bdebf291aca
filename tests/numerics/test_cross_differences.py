"""All differences at once are what writing them out gives."""

import numpy as np
import pytest

from unslant.numerics.linalg import axes_of_moments, difference_moments


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_moments_are_those_of_the_written_out_differences(seed: int, centred: bool) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(7, 4)) + 1, rng.normal(size=(5, 4))
    rows = np.array([a - b for a in first for b in second])
    if centred:
        rows = rows - rows.mean(axis=0)
    found = difference_moments(first, second, centred=centred)
    np.testing.assert_allclose(found, rows.T @ rows, atol=1e-10)


def test_axes_are_the_right_singular_vectors_with_squared_values() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 5))
    axes, values = axes_of_moments(rows.T @ rows)
    _, singular, right = np.linalg.svd(rows)
    np.testing.assert_allclose(values, singular**2, rtol=1e-10)
    np.testing.assert_allclose(np.abs(np.sum(axes * right, axis=1)), 1, atol=1e-10)
    assert (axes[np.arange(5), np.abs(axes).argmax(axis=1)] > 0).all()


def test_moments_stay_exact_where_the_groups_are_far_from_the_origin() -> None:
    rng = np.random.default_rng(1)
    near = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
    far = near[0] + 1e7, near[1] + 1e7
    np.testing.assert_allclose(difference_moments(*far), difference_moments(*near), rtol=1e-6)
