"""Recoverability: what can and cannot be learned, the split, each classifier, real vectors."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import moved, wide_space, without_direction, without_sides
from unslant.concepts import concept
from unslant.measures.running import measure
from unslant.metrics import classifiers
from unslant.metrics.classifiers import PROBES, fitted_probe
from unslant.metrics.recoverability import _balanced_share
from unslant.vectors import WordVectors

TOY = small_concept()


@pytest.mark.parametrize("classifier", PROBES)
def test_every_classifier_tells_sides_that_are_far_apart(classifier: str) -> None:
    vectors = wide_space(0, 400, lean=5.0)
    result = measure(f"recoverability({classifier}, n=150)", vectors, TOY)
    assert result.value is not None
    assert result.value > 0.97
    assert result.details["words-in-training"] == 60
    assert result.details["words-tested"] == 240


@pytest.mark.parametrize("classifier", ["logistic", "linear-svm", "rbf-svm"])
def test_a_space_that_knows_nothing_of_the_sides_is_at_chance(classifier: str) -> None:
    before, after = wide_space(0, 1_000, lean=2.0), wide_space(1, 1_000)
    result = measure(f"recoverability({classifier}, n=450)", after, TOY, baseline=before)
    assert result.value is not None
    assert 0.42 < result.value < 0.58
    assert result.interval is not None
    assert result.interval.low < result.value < result.interval.high


def test_only_a_curved_boundary_tells_an_inner_from_an_outer_side() -> None:
    before = wide_space(0, 1_000, lean=2.0)
    rng = np.random.default_rng(2)
    angle = np.where(np.arange(1_000) < 500, 0.3, 1.4) * rng.choice([-1, 1], 1_000)
    matrix = np.zeros((1_010, 8))
    matrix[:10] = before.matrix[:10]
    matrix[10:, 0], matrix[10:, 1] = np.cos(angle), np.sin(angle)
    matrix[10:, 0] *= rng.choice([-1, 1], 1_000)
    after = space(list(before.words), matrix)
    straight, curved = (
        measure(f"recoverability({name}, n=400)", after, TOY, baseline=before).value
        for name in ("logistic", "rbf-svm")
    )
    assert straight is not None
    assert curved is not None
    assert straight < 0.65
    assert curved > 0.9


def test_logistic_regression_is_the_one_that_minimises_its_loss() -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(80, 3)), rng.random(80) < 0.5
    probe, told = fitted_probe("logistic", rows, labels, 0)
    signs = np.where(labels, 1.0, -1.0)

    def loss(weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        margins = signs * (rows @ weights[:3] + weights[3])
        return float(np.logaddexp(0, -margins).sum() + 3 * weights[:3] @ weights[:3] / 2)

    best = np.r_[probe.coef_[0], probe.intercept_]
    assert told == ()
    assert all(loss(best) < loss(best + 0.05 * step) for step in rng.normal(size=(50, 4)))


def test_training_takes_the_same_share_of_either_side() -> None:
    labels = np.repeat([True, False], 50)
    chosen = _balanced_share(labels, 0.2, np.random.default_rng(0))
    assert chosen[:50].sum() == chosen[50:].sum() == 10
    assert 0 < _balanced_share(labels, 1e-6, np.random.default_rng(0)).sum() == 2
    assert _balanced_share(labels, 1 - 1e-6, np.random.default_rng(0)).sum() == 98


def test_turning_and_scaling_hardly_change_it_and_the_seed_decides_the_split() -> None:
    vectors = wide_space(5, 600, lean=0.2)
    one = measure("recoverability(n=250)", vectors, TOY)
    other = measure("recoverability(n=250)", moved(vectors, 6, 12.0), TOY)
    assert one.value == pytest.approx(other.value, abs=0.01)
    assert measure("recoverability(n=250)", vectors, TOY) == one
    assert measure("recoverability(n=250, seed=1)", vectors, TOY).points != one.points


def test_points_are_the_words_that_were_told_wrongly() -> None:
    vectors = wide_space(5, 600, lean=0.0)
    result = measure("recoverability(n=250)", vectors, TOY)
    assert result.value is not None
    assert len(result.points) == round((1 - result.value) * 400)


def test_degenerate_and_wrong_inputs_say_so() -> None:
    vectors = wide_space(0, 400)
    assert "same vector" in measure("recoverability", without_sides(vectors), TOY).why_undefined
    assert "were requested" in measure("recoverability", vectors, TOY).warnings[0]


def test_training_that_does_not_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.neural_network import MLPClassifier

    brief = MLPClassifier((5,), max_iter=2, random_state=0)
    monkeypatch.setattr(classifiers, "_build_classifier", lambda *_: brief)
    rng = np.random.default_rng(0)
    _, told = fitted_probe("network", rng.normal(size=(50, 3)), rng.random(50) < 0.5, 0)
    assert "stopped after 2 rounds" in told[0]


def test_on_real_vectors_sides_are_recovered_also_without_the_direction(
    glove: WordVectors,
) -> None:
    gender = concept("gender")
    before = measure("recoverability", glove, gender)
    after = measure("recoverability", without_direction(glove, gender), gender, baseline=glove)
    assert before.value is not None
    assert after.value is not None
    assert before.value > 0.99  # published for GloVe 300d: 1.000
    assert 0.7 < after.value < before.value  # published after hard debiasing: 0.927
    curved = measure(
        "recoverability(rbf-svm)", without_direction(glove, gender), gender, baseline=glove
    )
    assert curved.value is not None
    assert curved.value > 0.9  # published after hard debiasing: 0.946
    assert after.interval is not None
    assert after.interval.high - after.interval.low < 0.03
