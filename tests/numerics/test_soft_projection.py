"""The soft projection, against its definition and a general optimiser over T."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import minimize

from unslant.core.types import Array
from unslant.numerics.erasure import SOFT_TOLERANCE, objective, soft_projection


@dataclass
class Problem:
    """Columns W, the first of which are neutral, and a basis as columns B."""

    W: Array
    N: Array
    B: Array

    def f(self, T: Array, strength: float) -> float:
        W, N, B = T @ self.W, T @ self.N, T @ self.B
        first = np.linalg.norm(W.T @ W - self.W.T @ self.W) ** 2
        return float(first + strength * np.linalg.norm(N.T @ B) ** 2)

    def solved(self, strength: float) -> tuple[Array, int]:
        found = soft_projection(self.W @ self.W.T, self.N @ self.N.T, self.B.T, strength)
        assert found.has_converged
        return found.matrix, found.steps


def problem(seed: int, dim: int, k: int, stretch: float = 0.3) -> Problem:
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(dim, dim)))[0]
    W = turn @ (rng.normal(size=(dim, 20)) * rng.lognormal(0, stretch, size=(dim, 1)))
    return Problem(W, W[:, :14], np.linalg.qr(rng.normal(size=(dim, k)))[0])


def root(X: Array) -> Array:
    values, axes = np.linalg.eigh(X)
    return np.asarray((axes * np.sqrt(np.maximum(values, 0))) @ axes.T)


PROBLEMS = [(0, 3, 1), (1, 4, 2), (2, 5, 1), (3, 5, 3)]
STRENGTHS = [0.2, 5.0, 100.0]


@pytest.mark.parametrize("strength", [0.2, 100.0])
@pytest.mark.parametrize(("seed", "dim", "k"), PROBLEMS)
@pytest.mark.parametrize("stretch", [0.3, 1.5])
def test_a_general_optimiser_over_t_finds_nothing_better(
    seed: int, dim: int, k: int, strength: float, stretch: float
) -> None:
    given = problem(seed, dim, k, stretch)
    X, _ = given.solved(strength)
    ours = given.f(root(X), strength)
    G, M, Q = given.W @ given.W.T, given.N @ given.N.T, given.B @ given.B.T

    def value_and_slope(flat: Array) -> tuple[float, Array]:
        T = flat.reshape(dim, dim)
        D = T.T @ T - np.eye(dim)
        inner = G @ D @ G + strength * (M @ (T.T @ T) @ Q + Q @ (T.T @ T) @ M) / 2
        return given.f(T, strength), (4 * T @ inner).ravel()

    rng = np.random.default_rng(seed)
    starts = [np.eye(dim), root(X), np.eye(dim) + 0.3 * rng.normal(size=(dim, dim))]
    options = {"maxiter": 500, "gtol": 1e-9}
    best = min(
        minimize(value_and_slope, T.ravel(), jac=True, method="L-BFGS-B", options=options).fun
        for T in starts
    )
    scale = given.f(np.zeros((dim, dim)), 0.0)
    assert ours <= best + 1e-8 * scale
    assert ours >= best - 1e-8 * scale


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("seed", range(6))
def test_it_beats_the_identity_the_projection_and_matrices_near_it(
    seed: int, strength: float
) -> None:
    given = problem(seed, 5, 2, stretch=0.3 + 0.2 * seed)
    X, _ = given.solved(strength)
    ours = given.f(root(X), strength)
    assert ours <= given.f(np.eye(5), strength)
    assert ours <= given.f(np.eye(5) - given.B @ given.B.T, strength)
    rng = np.random.default_rng(seed)
    for size in np.logspace(-4, 0, 50):
        noise = rng.normal(size=(5, 5)) * size
        assert ours <= given.f(root(X + noise + noise.T), strength) + 1e-6 * ours


def test_the_objective_is_that_of_the_definition() -> None:
    given = problem(0, 5, 2)
    T = root(np.eye(5) + 0.1 * np.ones((5, 5)))
    found = objective(T @ T, given.W @ given.W.T, given.N @ given.N.T, given.B.T, 3.0)
    assert found == pytest.approx(given.f(T, 3.0))


@pytest.mark.parametrize("seed", range(6))
def test_it_is_always_semidefinite(seed: int) -> None:
    for strength in (0.1, 10.0, 1000.0):
        X, _ = problem(seed, 6, 2, stretch=1.5).solved(strength)
        assert np.linalg.eigvalsh(X)[0] >= -1e-12
        np.testing.assert_array_equal(X, X.T)


def test_both_ways_to_the_answer_are_taken_in_these_tests() -> None:
    steps = [problem(seed, 5, 3, 1.5).solved(100.0)[1] for seed in range(4)]
    assert 0 in [problem(seed, 5, 1, 0.3).solved(5.0)[1] for seed in range(4)]
    assert any(steps)


def test_without_strength_nothing_changes() -> None:
    X, _ = problem(0, 5, 2).solved(0.0)
    np.testing.assert_allclose(X, np.eye(5), atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_more_strength_leaves_less_down_to_nothing(seed: int) -> None:
    given = problem(seed, 6, 2)
    left = [
        np.linalg.norm(given.N.T @ given.solved(strength)[0] @ given.B)
        for strength in [0.0, 0.1, 1.0, 10.0, 100.0, 1e3, 1e6]
    ]
    assert (np.diff(left) < 0).all()
    assert left[-1] < 1e-3 * left[0]


def test_an_axis_of_the_words_is_shrunk_by_a_number_that_can_be_worked_out() -> None:
    # With G = g·I, M = m·I and one axis b: X = I − x bb' minimises g²x² + λm(1 − x)².
    g, m, strength = 3.0, 2.0, 4.0
    b = np.array([[0.0, 1.0, 0.0]])
    X = soft_projection(g * np.eye(3), m * np.eye(3), b, strength).matrix
    x = strength * m / (g * g + strength * m)
    np.testing.assert_allclose(X, np.diag([1, 1 - x, 1]), atol=1e-14)


def test_outside_the_span_of_the_words_it_is_the_identity() -> None:
    given = problem(1, 4, 1)
    wider = np.zeros((6, 20))
    wider[:4] = given.W
    B = np.zeros((6, 1))
    B[:4] = given.B
    X = soft_projection(wider @ wider.T, wider @ wider.T, B.T, 5.0).matrix
    inner = soft_projection(given.W @ given.W.T, given.W @ given.W.T, given.B.T, 5.0).matrix
    np.testing.assert_allclose(X[:4, :4], inner, atol=1e-10)
    np.testing.assert_allclose(X[4:, 4:], np.eye(2), atol=1e-14)
    np.testing.assert_allclose(X[:4, 4:], 0, atol=1e-14)


def test_steps_are_reported_and_a_stop_before_the_end_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = next(p for p in (problem(s, 5, 3, 1.5) for s in range(20)) if p.solved(100.0)[1] > 5)
    G, M = given.W @ given.W.T, given.N @ given.N.T
    heard: list[int] = []
    whole = soft_projection(G, M, given.B.T, 100.0, lambda done, most: heard.append(done))
    assert heard == list(range(1, whole.steps + 1))
    assert whole.error <= SOFT_TOLERANCE
    monkeypatch.setattr("unslant.numerics.erasure._MOST_STEPS", 2)
    cut = soft_projection(G, M, given.B.T, 100.0)
    assert not cut.has_converged
    assert np.linalg.eigvalsh(cut.matrix)[0] >= -1e-12
