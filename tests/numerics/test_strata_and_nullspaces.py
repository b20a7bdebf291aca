"""Parts with equal shares of each label; what null spaces have in common."""

import numpy as np
import pytest

from unslant.numerics.linalg import outside_common_null_space, row_space
from unslant.numerics.strata import split_by_shares


@pytest.mark.parametrize("seed", range(5))
def test_every_part_has_its_share_of_every_label(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([0, 1, 2], [100, 37, 10]))
    part = split_by_shares(labels, (0.49, 0.21, 0.3), rng)
    for label, size in enumerate((100, 37, 10)):
        counts = np.bincount(part[labels == label], minlength=3)
        assert counts.sum() == size
        np.testing.assert_allclose(counts, np.array([0.49, 0.21, 0.3]) * size, atol=1)


def test_parts_differ_with_the_generator_and_not_otherwise() -> None:
    labels = np.repeat([0, 1], 50)
    first, again, other = (
        split_by_shares(labels, (0.5, 0.5), np.random.default_rng(seed)) for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_row_space_has_the_rank_of_its_matrix() -> None:
    rng = np.random.default_rng(0)
    two = rng.normal(size=(2, 7))
    basis = row_space(np.vstack([two, two[0] + two[1], 1e-12 * rng.normal(size=7)]))
    assert basis.shape == (2, 7)
    np.testing.assert_allclose(basis @ basis.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(two @ basis.T @ basis, two, atol=1e-12)
    assert len(row_space(np.zeros((3, 4)))) == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_intersection_of_null_spaces_is_the_null_space_of_all_rows_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrices = [rng.normal(size=(rows, 9)) for rows in (1, 3, 2)]
    matrices.append(matrices[1][:1] + matrices[2][:1])  # adds no rank
    basis = outside_common_null_space([row_space(matrix) for matrix in matrices], 9)
    assert basis.shape == (6, 9)
    projector = np.eye(9) - basis.T @ basis
    stacked = np.vstack(matrices)
    plain = np.eye(9) - np.linalg.pinv(stacked) @ stacked
    np.testing.assert_allclose(projector, plain, atol=1e-10)
