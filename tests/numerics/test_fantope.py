"""Projection on the Fantope, against a search over all candidates in small dimensions."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from unslant.core.types import Array
from unslant.numerics.erasure import (
    adversarial_projections,
    clipped_to_sum,
    leading_axes,
    nearest_in_fantope,
)


@pytest.mark.parametrize("seed", range(20))
def test_eigenvalues_are_the_nearest_of_a_fine_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, k = rng.normal(scale=1.5, size=3), float(rng.integers(1, 3))
    found = clipped_to_sum(values, k)
    assert found.sum() == pytest.approx(k, abs=1e-12)
    assert found.min() >= 0
    assert found.max() <= 1
    ticks = np.linspace(0, 1, 201)
    grid = np.array([(a, b, k - a - b) for a, b in product(ticks, ticks) if 0 <= k - a - b <= 1])
    nearest = ((grid - values) ** 2).sum(axis=1).min()
    apart = ((found - values) ** 2).sum()
    assert apart <= nearest + 1e-9
    assert nearest <= apart + 0.05


@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_eigenvalues_agree_with_a_general_solver(k: int) -> None:
    rng = np.random.default_rng(k)
    values = rng.normal(size=8)
    solved = minimize(
        lambda x: ((x - values) ** 2).sum(),
        np.full(8, k / 8),
        jac=lambda x: 2 * (x - values),
        bounds=[(0, 1)] * 8,
        constraints={"type": "eq", "fun": lambda x: x.sum() - k},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(clipped_to_sum(values, k), solved.x, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_projection_of_the_rank_is_nearer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(5, 5))
    matrix = (matrix + matrix.T) / 2
    point = nearest_in_fantope(matrix, 2)
    np.testing.assert_allclose(point, point.T, atol=1e-12)
    values = np.linalg.eigvalsh(point)
    assert values.sum() == pytest.approx(2)
    assert values.min() > -1e-12
    assert values.max() < 1 + 1e-12
    for _ in range(200):
        axes, _ = np.linalg.qr(rng.normal(size=(5, 2)))
        other = axes @ axes.T
        # For a projection on a convex set, (M − Π M) · (other − Π M) ≤ 0 for all of the set.
        assert ((matrix - point) * (other - point)).sum() <= 1e-10


def test_a_projection_is_its_own_nearest_and_its_axes_lead() -> None:
    axes, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 2)))
    matrix = axes @ axes.T
    np.testing.assert_allclose(nearest_in_fantope(matrix, 2), matrix, atol=1e-12)
    led = leading_axes(matrix, 2)
    np.testing.assert_allclose(led.T @ led, matrix, atol=1e-12)


@pytest.mark.parametrize("labels", [2, 3])
def test_the_first_steps_follow_the_slopes_of_the_loss(labels: int) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(40, 4))
    truth = rng.integers(labels, size=40)
    game = adversarial_projections(
        rows, truth, 1, np.random.default_rng(5), batch=16, learning_rate=0.3, decay=0.01
    )
    found = [next(game) for _ in range(3)][-1]

    same = np.random.default_rng(5)
    outputs = 1 if labels == 2 else labels
    theta = same.normal(scale=0.01, size=(outputs, 4))
    bias, point = np.zeros(outputs), np.eye(4) / 4

    def loss(theta: Array, bias: Array, point: Array, x: Array, y: Array) -> float:
        scores = (x - x @ point) @ theta.T + bias
        if outputs == 1:
            scores = np.hstack([np.zeros_like(scores), scores])
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return float(-logs[np.arange(len(y)), y.astype(int)].mean())

    def slope(which: int, *values: Array) -> Array:
        result = np.zeros_like(values[which])
        for place in np.ndindex(result.shape):
            losses = []
            for sign in (1, -1):
                moved = [value.copy() for value in values]
                moved[which][place] += sign * 1e-5
                losses.append(loss(*moved))
            result[place] = (losses[0] - losses[1]) / 2e-5
        return result

    for _ in range(3):
        drawn = same.integers(40, size=16)
        batch = rows[drawn], truth[drawn].astype(np.float64)
        up = slope(2, theta, bias, point, *batch)
        point = nearest_in_fantope(point + 0.3 * ((up + up.T) / 2 - 0.01 * point), 1)
        down, shift = (slope(which, theta, bias, point, *batch) for which in (0, 1))
        theta = theta - 0.3 * (down + 0.01 * theta)
        bias = bias - 0.3 * (shift + 0.01 * bias)
    np.testing.assert_allclose(found, point, atol=1e-7)
