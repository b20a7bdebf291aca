"""Minimum description length: a slow second code, its bounds, the control and real vectors."""

from math import log2

import numpy as np
import pytest

from tests.spaces import small_concept
from tests.wide import wide_space, without_direction, without_sides
from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.measures.running import measure
from unslant.metrics.classifiers import fitted_probe, log2_probabilities
from unslant.metrics.mdl import _online_code, _portions
from unslant.vectors import WordVectors

TOY = small_concept()


def test_portions_double_what_is_known_and_end_with_the_words() -> None:
    assert _portions(100, 16) == [16, 32, 64, 100]
    assert _portions(64, 16) == [16, 32, 64]
    assert _portions(10, 16) == [10]


def test_the_code_costs_what_the_probabilities_of_each_portion_say() -> None:
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 3))
    labels = rows[:, 0] + rng.normal(size=60) > 0
    labels[:2] = [True, False]
    bits, _ = _online_code(rows, labels, [10, 20, 40, 60], 6.0)
    expected = 10.0  # two labels, one bit each
    for known, end in ((10, 20), (20, 40), (40, 60)):
        probe = LogisticRegression(C=2.0, max_iter=1_000).fit(rows[:known], labels[:known])
        for row, label in zip(rows[known:end], labels[known:end], strict=True):
            expected -= log2(probe.predict_proba(row[None])[0, int(label)])
    assert sum(bits) == pytest.approx(expected, rel=1e-6)


def test_a_certain_mistake_costs_many_bits_but_not_infinitely_many() -> None:
    rows, labels = np.array([[-1.0], [1.0]] * 20), np.array([False, True] * 20)
    probe, _ = fitted_probe("logistic", rows, labels, 0)
    cost = -log2_probabilities(probe, np.array([[1e4]]), np.array([False]))[0]
    assert np.isfinite(cost)
    assert cost > 1_000


def test_sides_far_apart_compress_well_and_unknown_ones_do_not() -> None:
    clear = measure("mdl(n=150)", wide_space(0, 400, lean=6.0), TOY)
    before, after = wide_space(0, 1_000, lean=2.0), wide_space(1, 1_000)
    hidden = measure("mdl(n=400)", after, TOY, baseline=before)
    assert clear.value is not None
    assert hidden.value is not None
    assert clear.value > 3
    assert 0.7 < hidden.value < 1.1
    assert hidden.value == pytest.approx(
        float(hidden.details["compression-of-random-labels"] or 0), abs=0.15
    )


def test_the_points_add_up_to_the_code_and_cover_every_word() -> None:
    result = measure("mdl(n=150, first=20)", wide_space(2, 400, lean=1.0), TOY)
    bits = sum(float(p["bits"]) for p in result.points)
    words = sum(int(p["words-coded"]) for p in result.points)
    assert bits == pytest.approx(result.details["code-length-in-bits"])
    assert words == 300 == result.details["uniform-code-in-bits"]
    assert result.value == pytest.approx(300 / bits)
    assert result.points[0]["bits"] == 20


def test_the_same_seed_gives_the_same_code() -> None:
    vectors = wide_space(2, 400, lean=0.5)
    assert measure("mdl(n=150)", vectors, TOY) == measure("mdl(n=150)", vectors, TOY)
    assert (
        measure("mdl(n=150)", vectors, TOY).value
        != measure("mdl(n=150, seed=1)", vectors, TOY).value
    )


def test_degenerate_and_wrong_inputs_say_so() -> None:
    assert "same vector" in measure("mdl", without_sides(wide_space(0, 400)), TOY).why_undefined
    with pytest.raises(UnslantError, match='"c" parameter'):
        measure("mdl(c=0)", wide_space(0, 400), TOY)
    with pytest.raises(UnslantError, match='"first" parameter'):
        measure("mdl(first=1)", wide_space(0, 400), TOY)


def test_on_real_vectors_removing_the_direction_makes_the_code_longer_but_not_useless(
    glove: WordVectors,
) -> None:
    gender = concept("gender")
    before = measure("mdl", glove, gender)
    after = measure("mdl", without_direction(glove, gender), gender, baseline=glove)
    assert before.value is not None
    assert after.value is not None
    assert before.value > 10
    assert 1.2 < after.value < before.value / 3
    assert float(after.details["compression-of-random-labels"] or 0) < 1
