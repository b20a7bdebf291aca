"""What a ridge regression leaves, against its definition with one coefficient a word."""

import numpy as np
import pytest

from unslant.numerics.linalg import ridge_residual


@pytest.mark.parametrize("alpha", [0.01, 1.0, 60.0])
@pytest.mark.parametrize("count", [1, 4, 30])
def test_one_matrix_does_what_the_regression_does(count: int, alpha: float) -> None:
    rng = np.random.default_rng(count)
    definition, others = rng.normal(size=(count, 6)), rng.normal(size=(9, 6))
    D, N = definition.T, others.T
    C = np.linalg.solve(D.T @ D + alpha * np.eye(count), D.T @ N)
    found = ridge_residual(definition, alpha)
    np.testing.assert_allclose(others @ found, (N - D @ C).T, atol=1e-10)


def test_it_shrinks_every_direction_of_the_rows_and_no_other() -> None:
    found = ridge_residual(np.array([[3.0, 0, 0], [0, 1.0, 0]]), 1.0)
    np.testing.assert_allclose(found, np.diag([0.1, 0.5, 1.0]), atol=1e-15)


def test_repeated_rows_count_as_often_as_they_stand() -> None:
    row = np.array([[2.0, 0]])
    np.testing.assert_allclose(ridge_residual(np.repeat(row, 3, axis=0), 4.0)[0, 0], 4 / 16)
