"""The gradient is the slope of the objective, and a batch does what single words do."""

import numpy as np
import pytest
from numpy.typing import NDArray

from unslant.core.types import Array
from unslant.numerics.descent import Adam, Repulsion

REPEL, ATTRACT, NEUTRALISE = 0.125, 0.75, 0.125


def units(rng: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    rows = rng.normal(size=shape)
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), dtype=np.float32)


def problem(seed: int, n: int = 20, m: int = 6, dim: int = 7, k: int = 1) -> Repulsion:
    """Lists of 0 to m vectors, some near the start and some anywhere, so that signs change."""
    rng = np.random.default_rng(seed)
    starts = units(rng, n, dim)
    others = starts[:, None] * rng.choice([0, 0.3, 2], size=(n, m, 1)) + units(rng, n, m, dim)
    others = (others / np.linalg.norm(others, axis=2, keepdims=True)).astype(np.float32)
    counts = rng.integers(0, m + 1, size=n)
    counts[0], counts[1] = 0, m
    others[np.arange(m) >= counts[:, None]] = 0
    basis = np.linalg.qr(rng.normal(size=(dim, k)))[0].T.astype(np.float32)
    return Repulsion(
        starts=starts,
        others=others,
        counts=counts,
        basis=basis,
        repel=REPEL,
        attract=ATTRACT,
        neutralise=NEUTRALISE,
    )


def objective(x: Array, w: Array, others: Array, basis: Array) -> float:
    """One word, from the definition, in double precision."""

    def cos(a: Array, b: Array) -> float:
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    near = np.mean([abs(cos(x, s)) for s in others]) if len(others) else 0.0
    inside = np.linalg.norm(basis @ x)
    return float(REPEL * near + ATTRACT * abs(cos(x, w) - 1) / 2 + NEUTRALISE * inside)


def parts(made: Repulsion, n: int) -> tuple[Array, Array, Array]:
    others = made.others[n, : made.counts[n]].astype(np.float64)
    return made.starts[n].astype(np.float64), others, made.basis.astype(np.float64)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_values_and_gradients_are_those_of_the_definition(seed: int, k: int) -> None:
    made = problem(seed, k=k)
    x = made.starts + 0.3 * np.random.default_rng(seed).normal(size=(20, 7)).astype(np.float32)
    values, gradient = made.values(x), made.gradient(x)
    for n in range(20):
        point, known = x[n].astype(np.float64), parts(made, n)
        assert values[n] == pytest.approx(objective(point, *known), abs=1e-6)
        for j in range(7):
            step = np.zeros(7)
            step[j] = 1e-6
            up, down = objective(point + step, *known), objective(point - step, *known)
            assert gradient[n, j] == pytest.approx((up - down) / 2e-6, abs=3e-6)


@pytest.mark.parametrize("decay", [False, True])
@pytest.mark.parametrize("k", [1, 2])
def test_a_batch_ends_where_single_words_end_by_automatic_gradients(k: int, decay: bool) -> None:
    torch = pytest.importorskip("torch")
    made, steps, rate = problem(5, k=k), 25, 0.01
    found = made.minimised(steps, rate, decay=decay)
    for n in range(20):
        w, others, basis = (torch.tensor(part) for part in parts(made, n))
        x = w.clone().requires_grad_(True)
        optimiser = torch.optim.Adam([x], lr=rate)
        for step in range(steps):
            for group in optimiser.param_groups:
                group["lr"] = rate * (1 - step / steps) if decay else rate
            unit = x / x.norm()
            loss = ATTRACT * (unit @ w / w.norm() - 1).abs() / 2
            loss = loss + NEUTRALISE * (basis @ x).norm()
            if len(others):
                loss = loss + REPEL * (others @ unit).abs().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        expected = (x / x.norm()).detach().numpy()
        np.testing.assert_allclose(found[n], expected, atol=2e-3, err_msg=str(n))


def test_skipping_products_that_cannot_have_changed_changes_nothing() -> None:
    made = problem(8, n=60)
    x = made.starts.copy()
    adam = Adam(x, 0.01)
    signs = np.sign(np.einsum("nmd,nd->nm", made.others, x))
    has_changed = np.zeros(60, dtype=bool)
    for _ in range(100):
        adam.step(x, made.gradient(x))
        has_changed |= (np.sign(np.einsum("nmd,nd->nm", made.others, x)) != signs).any(axis=1)
    assert has_changed.sum() > 5  # else this would show nothing
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    found = made.minimised(100, 0.01, decay=False)
    np.testing.assert_allclose(found, x, atol=1e-3)


def test_adam_equals_the_published_recursion() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 3))
    adam, expected = Adam(x, 0.02), x.copy()
    m, v = np.zeros_like(x), np.zeros_like(x)
    for t in range(1, 30):
        g = rng.normal(size=x.shape)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        expected -= 0.02 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        adam.step(x, g.copy())
        np.testing.assert_allclose(x, expected, rtol=1e-12)
