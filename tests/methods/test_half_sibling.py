"""Half-sibling regression against its definition, word by word."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import wide_space
from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.methods.pipeline import fit
from unslant.methods.specific_words import specific_words
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load


@pytest.mark.parametrize("alpha", [1.0, 60.0])
def test_it_is_the_regression_of_the_paper_on_real_vectors(alpha: float) -> None:
    vectors, gender = load(limit=6000), concept("gender")
    specific = {word for word in specific_words(gender) if word in vectors}
    is_specific = np.array([word in specific for word in vectors.words])
    D = vectors.matrix[is_specific].astype(np.float64).T
    N = vectors.matrix[~is_specific].astype(np.float64).T
    C = np.linalg.solve(D.T @ D + alpha * np.eye(D.shape[1]), D.T @ N)
    eraser = fit(f"half-sibling(alpha={alpha})", vectors, gender)
    after = debiased(vectors, eraser).matrix
    np.testing.assert_allclose(after[~is_specific], (N - D @ C).T, atol=2e-5)
    np.testing.assert_array_equal(after[is_specific], vectors.matrix[is_specific])
    assert eraser.stages[0].details["definition-words"] == len(specific)


def test_the_variance_left_is_that_of_the_changed_words() -> None:
    vectors, gender = load(limit=6000), concept("gender")
    eraser = fit("half-sibling", vectors, gender)
    after = debiased(vectors, eraser)
    specific = set(specific_words(gender))
    rows = [row for row, word in enumerate(vectors.words) if word not in specific]
    g = vectors["she"].astype(np.float64) - vectors["he"]
    old, new = ((space.matrix[rows].astype(np.float64) @ g).var() for space in (vectors, after))
    left = eraser.stages[0].details["variance-left-along-the-direction"]
    assert left == pytest.approx(new / old, rel=1e-4)


def test_the_scale_of_alpha_is_that_of_squared_vectors() -> None:
    vectors, gender = load(limit=2000), concept("gender")
    double = WordVectors(vectors.words, vectors.matrix * 2, vectors.lineage)
    once = fit("half-sibling(alpha=60)", vectors, gender).affine
    twice = fit("half-sibling(alpha=240)", double, gender).affine
    assert once is not None
    assert twice is not None
    np.testing.assert_allclose(once[0], twice[0], atol=1e-10)


def test_a_list_of_ones_own_makes_the_regression_and_is_left_alone() -> None:
    vectors = wide_space(seed=0)
    eraser = fit("half-sibling(keep=things)", vectors, small_concept())
    after = debiased(vectors, eraser)
    assert eraser.stages[0].words[0].used == ("n0", "n1", "n2", "n3")
    np.testing.assert_array_equal(after["n0"], vectors["n0"])
    assert not np.array_equal(after["l0"], vectors["l0"])


def test_each_vector_counts_once_and_words_without_one_are_listed_once() -> None:
    matrix = np.random.default_rng(0).normal(size=(5, 3))
    vectors = space(["l0", "L0", "r0", "r1", "x"], matrix)
    stage = fit("half-sibling", vectors, small_concept()).stages[0]
    assert stage.details["definition-words"] == 4
    assert set(stage.words[0].used) == {"l0", "L0", "r0", "r1"}
    assert stage.words[0].missing == ("l1", "l2", "r2")


def test_a_direction_that_fails_is_told_and_does_not_stop_the_fit() -> None:
    vectors = wide_space(seed=0)
    fewer = vectors.only([word for word in vectors.words if word != "r0"])
    stage = fit("half-sibling", fewer, small_concept()).stages[0]
    assert stage.details["variance-left-along-the-direction"] is None
    assert "pair-difference(l0, r0)" in stage.warnings[0]


@pytest.mark.parametrize("alpha", ["0", "-1"])
def test_without_a_penalty_there_is_no_regression(alpha: str) -> None:
    with pytest.raises(UnslantError, match="must be greater than 0"):
        fit(f"half-sibling(alpha={alpha})", wide_space(seed=0), small_concept())


def test_vectors_without_any_specific_word_are_refused_by_name() -> None:
    vectors = space(["x", "y"], np.eye(2))
    with pytest.raises(UnslantError, match='half-sibling needs words that carry "toy"'):
        fit("half-sibling", vectors, small_concept())
