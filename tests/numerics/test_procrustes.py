"""The orthogonal map nearest to the identity among those that align two sets of rows."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes, polar

from unslant.methods.bam import nearest_alignment, rotation_angles

CASES = [(seed, dim, rank) for seed in range(6) for dim, rank in [(3, 1), (6, 2), (8, 5), (30, 9)]]


def moments(seed: int, dim: int, rank: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rank, dim)).T @ rng.normal(size=(rank, dim))


@pytest.mark.parametrize(("seed", "dim", "rank"), CASES)
def test_it_is_orthogonal_optimal_and_the_limit_of_polar_factors(
    seed: int, dim: int, rank: int
) -> None:
    given = moments(seed, dim, rank)
    found = nearest_alignment(given)
    assert found.rank == rank
    np.testing.assert_allclose(found.matrix @ found.matrix.T, np.eye(dim), atol=1e-12)
    best = np.linalg.svd(given, compute_uv=False).sum()
    assert np.sum(found.matrix * given) == pytest.approx(best, rel=1e-12)
    near = polar(given + 1e-9 * np.eye(dim))[0]
    np.testing.assert_allclose(found.matrix, near, atol=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_optimal_map_is_nearer_to_the_identity(seed: int) -> None:
    given = moments(seed, 6, 2)
    left, _, right = np.linalg.svd(given)
    found = nearest_alignment(given).matrix
    rng = np.random.default_rng(seed)
    for _ in range(200):
        turn = np.eye(6)
        turn[2:, 2:] = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        other = left @ turn @ right
        assert np.sum(other * given) == pytest.approx(np.sum(found * given))
        assert np.linalg.norm(found - np.eye(6)) <= np.linalg.norm(other - np.eye(6)) + 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_where_the_rows_determine_it_it_is_the_usual_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(20, 6)), rng.normal(size=(20, 6))
    found = nearest_alignment(first.T @ second)
    np.testing.assert_allclose(found.matrix, orthogonal_procrustes(first, second)[0], atol=1e-10)


def test_one_pair_turns_in_its_plane_alone() -> None:
    a, b = np.array([2.0, 0, 0, 0]), np.array([3.0, 3.0, 0, 0])
    found = nearest_alignment(np.outer(a, b))
    half = np.sqrt(0.5)
    expected = np.eye(4)
    expected[:2, :2] = [[half, half], [-half, half]]
    np.testing.assert_allclose(found.matrix, expected, atol=1e-14)
    assert np.degrees(rotation_angles(found.matrix)[0]) == pytest.approx(45)


def test_over_a_right_angle_a_mirror_is_nearer_than_a_turn() -> None:
    a, b = np.array([1.0, 0, 0]), np.array([-1.0, 1.0, 0]) / np.sqrt(2)
    found = nearest_alignment(np.outer(a, b)).matrix
    assert np.linalg.det(found) == pytest.approx(-1)
    np.testing.assert_allclose(found, np.eye(3) - np.outer(a - b, a - b) * 2 / ((a - b) @ (a - b)))


def test_a_tie_is_told_and_still_optimal() -> None:
    found = nearest_alignment(np.outer([1.0, 0, 0], [0, 1.0, 0]))
    assert not found.is_unique
    np.testing.assert_allclose(found.matrix @ found.matrix.T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(found.matrix[0], [0, 1, 0], atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-14, 1e-11, 1e-8, 1e-4])
def test_nearly_parallel_pairs_give_nearly_the_identity(angle: float) -> None:
    a, b = np.array([1.0, 0, 0]), np.array([np.cos(angle), np.sin(angle), 0])
    found = nearest_alignment(np.outer(a, b)).matrix
    np.testing.assert_allclose(found @ found.T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(found, np.eye(3), atol=2 * angle + 1e-14)
    np.testing.assert_allclose(a @ found, b, atol=1e-12)


def test_nothing_to_align_is_the_identity_of_rank_zero() -> None:
    found = nearest_alignment(np.zeros((3, 3)))
    assert found.rank == 0
    np.testing.assert_array_equal(found.matrix, np.eye(3))
