"""The game of predictor and adversary: its losses and their gradients."""

import numpy as np
import pytest

from unslant.core.types import Array
from unslant.methods.adversarial import Moments, gradients, losses


def case(seed: int, k: int, d: int = 6, n: int = 40) -> tuple[Array, ...]:
    """v, y, z, W and U."""
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(n, d)),
        rng.normal(size=(n, d)),
        rng.normal(size=(n, k)),
        rng.normal(size=(d, k)),
        rng.normal(size=(k, d)),
    )


def plain_losses(v: Array, y: Array, z: Array, W: Array, U: Array) -> tuple[float, float]:
    """Word by word, as the method is written down."""
    of_y, of_z = [], []
    for one, answer, secret in zip(v, y, z, strict=True):
        guess = one - W @ (W.T @ one)
        of_y.append(np.mean((guess - answer) ** 2))
        of_z.append(np.mean((U @ guess - secret) ** 2))
    return float(np.mean(of_y)), float(np.mean(of_z))


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_losses_from_moments_are_those_of_the_rows(seed: int, k: int) -> None:
    v, y, z, W, U = case(seed, k)
    assert losses(Moments.of(v, y, z), W, U) == pytest.approx(plain_losses(v, y, z, W, U))


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_gradients_are_the_slopes_of_the_losses(seed: int, k: int) -> None:
    v, y, z, W, U = case(seed, k)
    found = gradients(Moments.of(v, y, z), W, U)
    step = 1e-6
    for which, given in (
        ("W", (found.predictor, found.adversary)),
        ("U", (None, found.adversary_own)),
    ):
        for place in np.ndindex((W if which == "W" else U).shape):
            ends = []
            for sign in (1, -1):
                moved_w, moved_u = W.copy(), U.copy()
                (moved_w if which == "W" else moved_u)[place] += sign * step
                ends.append(plain_losses(v, y, z, moved_w, moved_u))
            for loss, gradient in enumerate(given):
                slope = (ends[0][loss] - ends[1][loss]) / (2 * step)
                expected = 0.0 if gradient is None else gradient[place]
                assert slope == pytest.approx(expected, abs=1e-6)


def test_gradients_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch", reason="torch, the second opinion, is not installed")
    v, y, z, W, U = case(7, 2)
    found = gradients(Moments.of(v, y, z), W, U)
    w, u = (torch.tensor(value, requires_grad=True) for value in (W, U))
    guess = torch.tensor(v) - torch.tensor(v) @ w @ w.T
    of_y = ((guess - torch.tensor(y)) ** 2).mean()
    of_z = ((guess @ u.T - torch.tensor(z)) ** 2).mean()
    [predictor] = torch.autograd.grad(of_y, w, retain_graph=True)
    adversary, own = torch.autograd.grad(of_z, (w, u))
    np.testing.assert_allclose(found.predictor, predictor.numpy(), atol=1e-12)
    np.testing.assert_allclose(found.adversary, adversary.numpy(), atol=1e-12)
    np.testing.assert_allclose(found.adversary_own, own.numpy(), atol=1e-12)
