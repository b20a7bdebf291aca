"""Soft Debias on word vectors: what λ does, at the printed scale and at a relative one."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import OWN, wide_space
from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.core.types import Array
from unslant.erasers import Dense, EachVector, LowRank
from unslant.methods.method import FitSetting
from unslant.methods.pipeline import fit
from unslant.methods.specific_words import pair_subspace, specific_words
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load

GENDER = concept("gender")


def root_of(expression: str, vectors: WordVectors) -> Array:
    step = fit(expression, vectors, GENDER).steps[1]
    assert isinstance(step, EachVector)
    assert isinstance(step.transform, LowRank | Dense)
    return step.transform.matrix


def columns(vectors: WordVectors) -> tuple[Array, Array, Array]:
    """W, N and B as in the paper, all at once."""
    rows = vectors.matrix.astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    specific = set(specific_words(GENDER))
    neutral = [row for row, word in enumerate(vectors.words) if word not in specific]
    basis = pair_subspace("", vectors, GENDER, FitSetting().policy).basis
    return rows.T, rows[neutral].T, basis.T


def number(vectors: WordVectors, expression: str, name: str) -> float:
    value = fit(expression, vectors, GENDER).stages[0].details[name]
    assert isinstance(value, float)
    return value


def test_without_strength_words_are_only_scaled_to_length_1() -> None:
    vectors = load(limit=3000)
    after = debiased(vectors, fit("soft(strength=0)", vectors, GENDER)).matrix
    before = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    np.testing.assert_allclose(after, before, atol=1e-6)


@pytest.mark.parametrize("scale", ["paper", "relative"])
def test_the_objective_of_the_paper_is_lower_than_at_any_matrix_near(scale: str) -> None:
    vectors = load(limit=1500)
    W, N, B = columns(vectors)
    weight = 0.2 if scale == "paper" else 0.2 * (
        np.linalg.norm(W.T @ W) ** 2 / np.linalg.norm(N.T @ B) ** 2
    )  # fmt: skip
    T = root_of(f"soft(scale={scale})", vectors)

    def f(T: Array) -> float:
        first = np.linalg.norm((T @ W).T @ (T @ W) - W.T @ W) ** 2
        return float(first + weight * np.linalg.norm((T @ N).T @ (T @ B)) ** 2)

    ours = f(T)
    assert ours < f(np.eye(100))
    assert ours < f(np.eye(100) - B @ B.T)
    rng = np.random.default_rng(0)
    for size in (1e-5, 1e-4, 1e-3, 1e-2):
        assert ours < f(T + rng.normal(size=(100, 100)) * size)
    along = B @ B.T
    assert ours < min(f(T + 1e-3 * along), f(T - 1e-3 * along))


def test_the_printed_scale_changes_almost_nothing_and_the_relative_one_much() -> None:
    vectors = load()
    assert number(vectors, "soft", "part-left") > 0.999
    assert number(vectors, "soft(scale=relative)", "part-left") < 0.1


def test_the_relative_weight_is_that_of_the_two_norms() -> None:
    vectors = load(limit=1500)
    W, N, B = columns(vectors)
    expected = 3 * np.linalg.norm(W.T @ W) ** 2 / np.linalg.norm(N.T @ B) ** 2
    found = number(
        vectors, "soft(strength=3, scale=relative)", "weight-of-the-second-term-as-printed"
    )
    assert found == pytest.approx(expected, rel=1e-6)


def test_more_strength_leaves_less_of_the_neutral_part_down_to_nothing() -> None:
    vectors = load(limit=6000)
    _, N, B = columns(vectors)
    whole = np.linalg.norm(N.T @ B)
    left = []
    for strength in (0.0, 0.01, 0.1, 1.0, 10.0, 1e3, 1e5):
        expression = f"soft(strength={strength}, scale=relative)"
        left.append(np.linalg.norm(N.T @ root_of(expression, vectors) @ B) / whole)
        told = number(vectors, expression, "part-left")
        assert told == pytest.approx(left[-1] ** 2, rel=1e-3)
    assert left[0] == pytest.approx(1)
    assert (np.diff(left) < 0).all()
    assert left[-1] < 1e-3


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize("strength", [0.1, 100.0])
def test_the_map_is_symmetric_and_never_mirrors(k: int, strength: float) -> None:
    subspace = f'"pair-pca(definitional, k={k})"'
    expression = f"soft(strength={strength}, scale=relative, subspace={subspace})"
    T = root_of(expression, load(limit=6000))
    np.testing.assert_allclose(T, T.T, atol=1e-10)
    assert np.linalg.eigvalsh((T + T.T) / 2)[0] >= -1e-10


def test_only_the_first_words_of_the_vocabulary_count() -> None:
    vectors = load(limit=3000)
    few = root_of("soft(vocabulary=1500, scale=relative)", vectors)
    W, N, _ = columns(load(limit=1500))
    details = fit("soft(vocabulary=1500)", vectors, GENDER).stages[0].details
    assert (details["words"], details["neutral-words"]) == (W.shape[1], N.shape[1])
    assert np.abs(few - root_of("soft(scale=relative)", vectors)).max() > 1e-4


def test_it_follows_a_method_that_emptied_a_direction() -> None:
    vectors = load(limit=3000)
    chained = fit('linear | soft(scale=relative, subspace="names(k=2)")', vectors, GENDER)
    after = debiased(vectors, chained).matrix.astype(np.float64)
    g = chained.stages[0].removed
    assert g is not None
    assert np.isfinite(after).all()
    assert np.abs(after @ g.T).max() < 1e-5


def test_too_few_words_to_span_the_space_leave_the_rest_alone() -> None:
    vectors = wide_space(seed=0, count=20)
    eraser = fit("soft(vocabulary=7, scale=relative, strength=5)", vectors, small_concept())
    assert np.isfinite(debiased(vectors, eraser).matrix).all()


def test_a_vocabulary_without_neutral_words_says_that_nothing_changes() -> None:
    vectors = space(OWN, np.random.default_rng(0).normal(size=(6, 4)))
    eraser = fit("soft(scale=relative)", vectors, small_concept())
    assert "the neutral words have no component" in eraser.stages[0].warnings[-1]
    step = eraser.steps[1]
    assert isinstance(step, EachVector)
    rows = np.eye(4)
    np.testing.assert_allclose(step.transform.apply(rows), rows, atol=1e-12)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("soft(strength=-1)", "must be at least 0"),
        ("soft(scale=other)", "must be one of paper, relative"),
        ("soft(vocabulary=0)", "at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused(expression: str, said: str) -> None:
    with pytest.raises(UnslantError, match=said):
        fit(expression, wide_space(seed=0), small_concept())
