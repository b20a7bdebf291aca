"""The share of a cosine that is owed to a subspace, against the definition by projections."""

import numpy as np
import pytest

from unslant.numerics.linalg import subspace_share


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_it_equals_the_definition_written_out(k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    units = rng.normal(size=(6, 5))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    basis = np.linalg.qr(rng.normal(size=(5, k)))[0].T
    inside = units @ basis.T
    shares, is_defined = subspace_share(units @ units.T, inside[:, None], inside[None])
    assert is_defined.all()
    for i in range(6):
        for j in range(6):
            w, v = (u - sum((u @ b) * b for b in basis) for u in (units[i], units[j]))
            cosine = units[i] @ units[j]
            rest = w @ v / (np.linalg.norm(w) * np.linalg.norm(v))
            assert shares[i, j] == pytest.approx((cosine - rest) / cosine)


def test_orthogonal_vectors_and_vectors_in_the_subspace_have_no_share() -> None:
    cosines = np.array([0.0, 0.5, 0.5])
    inside = np.array([[0.0], [1.0], [0.6]])
    shares, is_defined = subspace_share(cosines, inside, np.array([[0.2], [0.5], [0.6]]))
    assert is_defined.tolist() == [False, False, True]
    assert np.isfinite(shares).all()


def test_a_cosine_that_is_all_owed_to_the_subspace_has_share_1() -> None:
    shares, _ = subspace_share(np.array([0.36]), np.array([[0.6]]), np.array([[0.6]]))
    assert shares[0] == pytest.approx(1.0)
