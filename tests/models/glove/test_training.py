"""GloVe against its written objective, a second implementation and vectors that made the counts."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.models.glove.made import counts_from
from unslant.core.errors import UnslantError
from unslant.models.glove import training
from unslant.models.glove.counts import CELL, Counts
from unslant.models.glove.settings import GloveSettings
from unslant.models.glove.training import Trained, fresh, pass_over, train

pytest.importorskip("numba")

HOW = GloveSettings(dimensions=6, iterations=4)


def random_counts(folder: Path, words: int = 30, seed: int = 0) -> Counts:
    rng = np.random.default_rng(seed)
    X = np.exp(rng.normal(1, 2, size=(words, words)))
    return counts_from((X + X.T) * (rng.random((words, words)) < 0.7), folder)


def objective(Q: np.ndarray, a: int, b: int, log_x: float, how: GloveSettings) -> float:
    """The written objective of one word and one context."""
    f = min(1.0, np.exp(log_x) / how.x_max) ** how.alpha
    w, c = Q[a, 0], Q[b, 0]
    return float(f * (w[:-1] @ c[:-1] + w[-1] + c[-1] - log_x) ** 2 / 2)


def by_numpy(Q: np.ndarray, cells: np.ndarray, how: GloveSettings) -> float:
    """A pass of plain NumPy in double precision, from the formulas of the paper."""
    half, loss = len(Q) // 2, 0.0
    for i, j, log_x in cells.tolist():
        for a, b in [(i, half + j), (j, half + i)][: 1 if i == j else 2]:
            loss += objective(Q, a, b, log_x, how)
            f = min(1.0, np.exp(log_x) / how.x_max) ** how.alpha
            off = Q[a, 0, :-1] @ Q[b, 0, :-1] + Q[a, 0, -1] + Q[b, 0, -1] - log_x
            to_a, to_b = np.append(Q[b, 0, :-1], 1.0), np.append(Q[a, 0, :-1], 1.0)
            for row, gradient in ((a, f * off * to_a), (b, f * off * to_b)):
                step = how.learning_rate * gradient
                Q[row, 0] -= step / np.sqrt(Q[row, 1]) if how.adagrad else step
                Q[row, 1] += step**2 if how.adagrad else 0
    return loss


@pytest.mark.parametrize("adagrad", [True, False])
def test_a_pass_is_that_of_a_second_implementation(tmp_path: Path, adagrad: bool) -> None:
    how = replace(HOW, adagrad=adagrad, x_max=20.0)
    counts = random_counts(tmp_path / "c")
    Q = fresh(30, how).astype(np.float64)
    other = Q.copy()
    for _ in range(3):
        loss = pass_over(Q, how)(counts.cells)
        assert loss == pytest.approx(by_numpy(other, counts.cells, how), rel=1e-6)
    np.testing.assert_allclose(Q, other, rtol=1e-5, atol=1e-7)


def test_single_precision_follows_double_precision(tmp_path: Path) -> None:
    counts = random_counts(tmp_path / "c")
    single, double = fresh(30, HOW), fresh(30, HOW).astype(np.float64)
    for _ in range(3):
        pass_over(single, HOW)(counts.cells), pass_over(double, HOW)(counts.cells)
    np.testing.assert_allclose(single, double, rtol=2e-3, atol=2e-4)


def finite_differences(value: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    gradient, step = np.zeros_like(at), 1e-6
    for place in np.ndindex(at.shape):
        ahead, behind = at.copy(), at.copy()
        ahead[place] += step
        behind[place] -= step
        gradient[place] = (value(ahead) - value(behind)) / (2 * step)
    return gradient


@pytest.mark.parametrize("log_x", [-1.0, 2.0, 7.0])
def test_a_step_is_the_gradient_of_the_written_objective(log_x: float) -> None:
    how = replace(HOW, adagrad=False, learning_rate=1e-7)
    Q = np.random.default_rng(0).normal(size=(4, 2, 7))
    before, cells = Q[:, 0].copy(), np.array([(0, 1, log_x)], dtype=CELL)
    pass_over(Q, how)(cells)

    def whole(W: np.ndarray) -> float:
        made = W[:, None, :]
        return objective(made, 0, 3, log_x, how) + objective(made, 1, 2, log_x, how)

    gradient = finite_differences(whole, before)
    np.testing.assert_allclose((before - Q[:, 0]) / 1e-7, gradient, rtol=1e-4, atol=1e-5)


def test_the_loss_falls_and_is_the_mean_of_the_objective(tmp_path: Path) -> None:
    counts = random_counts(tmp_path / "c")
    trained = train(counts, replace(HOW, iterations=30))
    losses = [each["loss"] for each in trained.curve]
    assert all(later < earlier for earlier, later in pairwise(losses))
    slow = train(counts, replace(HOW, iterations=1, learning_rate=1e-9))
    Q, half = fresh(30, HOW).astype(np.float64), 30
    ordered = [
        (a, b, log_x)
        for i, j, log_x in counts.cells.tolist()
        for a, b in ({(i, half + j), (j, half + i)})
    ]
    mean = np.mean([objective(Q, a, b, log_x, HOW) for a, b, log_x in ordered])
    assert slow.curve[0]["loss"] == pytest.approx(mean, rel=1e-4)


def test_vectors_that_made_the_counts_are_recovered(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    planted = rng.normal(size=(60, 4))
    bias = rng.normal(size=60)
    X = np.exp(planted @ planted.T + bias[:, None] + bias)
    how = GloveSettings(dimensions=4, iterations=300, x_max=1.0)
    found = train(counts_from(X, tmp_path / "c"), how).vectors.astype(np.float64)
    # Inner products are determined up to a constant for each word; distances between rows of the
    # matrix of all inner products, centred, are those of what was planted.
    centre = np.eye(60) - 1 / 60
    made, true = (centre @ A @ A.T @ centre for A in (found, planted))
    assert np.corrcoef(made.ravel(), true.ravel())[0, 1] > 0.99
    rotated, *_ = np.linalg.lstsq(centre @ found, centre @ planted, rcond=None)
    residual = centre @ planted - centre @ found @ rotated
    assert (residual**2).sum() / ((centre @ planted) ** 2).sum() < 0.02


def test_a_seed_gives_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    counts = random_counts(tmp_path / "c")
    one, same, other = (train(counts, replace(HOW, seed=seed)) for seed in (0, 0, 1))
    assert one.vectors.tobytes() == same.vectors.tobytes()
    assert one.vectors.tobytes() != other.vectors.tobytes()


def test_a_training_that_was_stopped_ends_in_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, kept = random_counts(tmp_path / "c"), tmp_path / "checkpoint"
    whole = train(counts, HOW)
    iteration, calls = training._iteration, []

    def stopped(state: Trained, *more: object) -> Trained:
        calls.append(len(state.curve))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return iteration(state, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(training, "_iteration", stopped)
    with pytest.raises(KeyboardInterrupt):
        train(counts, HOW, checkpoint=kept)
    resumed = train(counts, HOW, checkpoint=kept)
    assert calls == [0, 1, 2, 2, 3], "finished iterations are not repeated"
    assert resumed.parameters.tobytes() == whole.parameters.tobytes()
    assert [each["loss"] for each in resumed.curve] == [each["loss"] for each in whole.curve]


def test_a_checkpoint_of_other_settings_or_damaged_is_refused(tmp_path: Path) -> None:
    counts, kept = random_counts(tmp_path / "c"), tmp_path / "checkpoint"
    train(counts, HOW, checkpoint=kept)
    with pytest.raises(UnslantError, match="other inputs, data or settings"):
        train(counts, replace(HOW, alpha=0.5), checkpoint=kept)
    content = bytearray(kept.read_bytes())
    content[-5] ^= 1
    kept.write_bytes(content)
    with pytest.raises(UnslantError, match="checksum"):
        train(counts, HOW, checkpoint=kept)


def test_threads_reach_the_loss_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    counts = random_counts(tmp_path / "c", words=80)
    one = train(counts, replace(HOW, iterations=10)).curve[-1]["loss"]
    several = train(counts, replace(HOW, iterations=10, threads=3)).curve[-1]["loss"]
    assert several == pytest.approx(one, rel=0.15)


def test_a_training_that_diverges_is_refused(tmp_path: Path) -> None:
    counts = random_counts(tmp_path / "c")
    with pytest.raises(UnslantError, match=r"not finite\. Use a lower learning rate"):
        train(counts, replace(HOW, adagrad=False, learning_rate=0.99, iterations=50, x_max=1.0))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dimensions": 0}, "dimensions must be at least 1"),
        ({"iterations": 0}, "iterations must be at least 1"),
        ({"alpha": 0.0}, "alpha must be above 0"),
        ({"x_max": float("nan")}, "x_max must be above 0"),
        ({"learning_rate": 1.5}, "learning rate"),
        ({"threads": 0}, "threads must be at least 1"),
    ],
)
def test_choices_that_cannot_be_are_refused(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(UnslantError, match=message):
        GloveSettings(**wrong)  # type: ignore[arg-type]
