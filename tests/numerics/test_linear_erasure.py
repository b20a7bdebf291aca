"""Erasure of covariance: exact, least, and the same as the authors' package."""

import numpy as np
import pytest

from unslant.core.types import Array
from unslant.numerics.erasure import erasure, indicators, root_and_inverse, shrunk


def made_up(seed: int, classes: int, count: int = 300, dim: int = 8) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=count)
    rows = rng.normal(size=(count, dim)) @ rng.normal(size=(dim, dim))
    rows += rng.normal(size=(classes, dim))[labels] + 3
    return rows, indicators(labels)


def covariance(rows: Array, targets: Array) -> Array:
    return np.asarray((rows - rows.mean(axis=0)).T @ (targets - targets.mean(axis=0)) / len(rows))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize(("whitened", "shrinkage"), [(True, True), (True, False), (False, False)])
def test_no_covariance_is_left_and_one_dimension_less_than_labels_is_taken(
    seed: int, classes: int, whitened: bool, shrinkage: bool
) -> None:
    rows, targets = made_up(seed, classes)
    found = erasure(rows, targets, whitened=whitened, shrinkage=shrinkage)
    after = found.apply(rows)
    assert np.abs(covariance(after, targets)).max() < 1e-10
    assert len(found.read) == classes - 1
    np.testing.assert_allclose(after.mean(axis=0), rows.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(found.apply(after), after, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_leace_is_least_among_many_maps_that_erase(seed: int) -> None:
    rows, targets = made_up(seed, 3)
    change = {
        kind: ((erasure(rows, targets, whitened=kind, shrinkage=False).apply(rows) - rows) ** 2)
        .sum(axis=1)
        .mean()
        for kind in (True, False)
    }
    assert change[True] <= change[False] + 1e-12
    rng = np.random.default_rng(seed)
    crossed = covariance(rows, targets)
    centred = rows - rows.mean(axis=0)
    basis = np.linalg.svd(crossed, full_matrices=False)[0][:, :2]
    for _ in range(50):
        # x − (x − μ) Rᵀ W erases if W R fixes the columns of the covariance: any R with R B = I.
        read = basis.T + 0.3 * rng.normal(size=(2, 8)) @ (np.eye(8) - basis @ basis.T)
        moved = centred @ read.T @ basis.T
        assert np.abs(covariance(centred - moved, targets)).max() < 1e-10
        assert (moved**2).sum(axis=1).mean() >= change[True] - 1e-9


@pytest.mark.parametrize("shrinkage", [True, False])
def test_variance_grows_in_no_direction_of_the_covariance_used(shrinkage: bool) -> None:
    rows, targets = made_up(0, 4)
    found = erasure(rows, targets, whitened=True, shrinkage=shrinkage)
    sigma = covariance(rows, rows)
    if shrinkage:
        sigma = shrunk(sigma, len(rows))
    matrix = np.eye(8) - found.read.T @ found.write
    less = sigma - matrix.T @ sigma @ matrix
    assert np.linalg.eigvalsh((less + less.T) / 2).min() > -1e-9 * np.trace(sigma)


def test_fewer_words_than_dimensions_are_erased_too() -> None:
    rows, targets = made_up(0, 2, count=6, dim=20)
    for shrinkage in (True, False):
        found = erasure(rows, targets, whitened=True, shrinkage=shrinkage)
        assert np.abs(covariance(found.apply(rows), targets)).max() < 1e-10


def test_labels_that_tell_nothing_give_rank_zero() -> None:
    rows = np.vstack([np.eye(3), np.eye(3)])
    found = erasure(rows, indicators(np.repeat([0, 1], 3)), whitened=True, shrinkage=True)
    assert len(found.read) == 0
    assert np.array_equal(found.apply(rows), rows)


def test_the_root_and_its_inverse_of_a_singular_covariance() -> None:
    rng = np.random.default_rng(0)
    half = rng.normal(size=(5, 3))
    root, inverse = root_and_inverse(half @ half.T)
    np.testing.assert_allclose(root @ root, half @ half.T, atol=1e-10)
    np.testing.assert_allclose(inverse, np.linalg.pinv(root, rcond=1e-6), atol=1e-7)


def test_shrinking_gets_nearer_to_the_truth_from_few_observations_and_vanishes_with_many() -> None:
    rng = np.random.default_rng(0)
    spread = np.diag(np.linspace(1, 3, 30))
    few, many = (rng.normal(size=(count, 30)) @ np.sqrt(spread) for count in (40, 100_000))
    sample = few.T @ few / len(few)
    before, after = (((m - spread) ** 2).sum() for m in (sample, shrunk(sample, len(few))))
    assert after < 0.8 * before
    sample = many.T @ many / len(many)
    np.testing.assert_allclose(shrunk(sample, len(many)), sample, atol=0.01)
    np.testing.assert_allclose(shrunk(np.eye(3) * 2, 5), np.eye(3) * 2)


@pytest.mark.parametrize("shrinkage", [True, False])
@pytest.mark.parametrize("classes", [2, 4])
def test_it_agrees_with_the_package_of_its_authors(classes: int, shrinkage: bool) -> None:
    torch = pytest.importorskip("torch")
    package = pytest.importorskip("concept_erasure")
    rows, targets = made_up(7, classes, count=200, dim=12)
    x, z = torch.from_numpy(rows), torch.from_numpy(targets)
    settings = {"shrinkage": shrinkage, "svd_tol": 1e-9}
    theirs = package.LeaceFitter.fit(x, z, **settings).eraser(x).numpy()
    mine = erasure(rows, targets, whitened=True, shrinkage=shrinkage).apply(rows)
    np.testing.assert_allclose(mine, theirs, atol=1e-6)
    theirs = package.LeaceFitter.fit(x, z, method="orth", svd_tol=1e-9).eraser(x).numpy()
    mine = erasure(rows, targets, whitened=False, shrinkage=False).apply(rows)
    np.testing.assert_allclose(mine, theirs, atol=1e-6)
