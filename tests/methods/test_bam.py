"""BAM: an orthogonal map of one list towards the other, and half of the way there."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes

from tests.spaces import small_concept, space
from tests.wide import wide_space
from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.core.types import Array
from unslant.erasers import EachVector, Eraser, LowRank
from unslant.methods.pipeline import fit
from unslant.vectors import WordVectors, load

ROTATIONS = ["bam", "bam(names)", "bam(pairs=definitional)", "bam(pairs=gendered)"]


def whole_map(eraser: Eraser) -> Array:
    """W, from ½(I + W)."""
    assert eraser.affine is not None
    return 2 * eraser.affine[0] - np.eye(eraser.dim)


def mean(vectors: WordVectors, words: tuple[str, ...]) -> Array:
    return np.asarray(vectors.matrix[vectors.words.rows_of(words)].astype(np.float64).mean(axis=0))


@pytest.mark.parametrize("expression", [*ROTATIONS, "bam(procrustes=v)"])
def test_the_map_is_orthogonal(expression: str) -> None:
    W = whole_map(fit(expression, load(limit=6000), concept("gender")))
    np.testing.assert_allclose(W @ W.T, np.eye(len(W)), atol=1e-10)


@pytest.mark.parametrize("expression", ["bam", "bam(names)"])
def test_all_pairs_turn_one_mean_onto_the_other_and_leave_the_rest(expression: str) -> None:
    vectors = load()
    eraser = fit(expression, vectors, concept("gender"))
    W = whole_map(eraser)
    first, second = (mean(vectors, use.used) for use in eraser.stages[0].words)
    a, b = first / np.linalg.norm(first), second / np.linalg.norm(second)
    np.testing.assert_allclose(a @ W, b, atol=1e-10)
    others = np.random.default_rng(0).normal(size=(20, vectors.dim))
    plane = np.linalg.qr(np.array([a, b]).T)[0]
    others -= others @ plane @ plane.T
    np.testing.assert_allclose(others @ W, others, atol=1e-10)
    angle = np.degrees(np.arccos(a @ b))
    details = eraser.stages[0].details
    assert details["largest-angle-in-degrees"] == pytest.approx(angle)
    assert details["dimensions-determined"] == 1
    [step] = eraser.steps
    assert isinstance(step, EachVector)
    assert isinstance(step.transform, LowRank)
    assert len(step.transform.read) == 2


def test_all_pairs_shrink_the_gap_by_the_cosine_of_half_the_angle_alone() -> None:
    eraser = fit("bam", load(), concept("gender"))
    details = eraser.stages[0].details
    angle, left = details["largest-angle-in-degrees"], details["gap-left"]
    assert isinstance(angle, float)
    assert left == pytest.approx(np.cos(np.radians(angle) / 2), abs=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_pairs_that_determine_the_map_give_the_usual_answer(seed: int) -> None:
    vectors = space(
        ["l0", "r0", "l1", "r1", "l2", "r2"], np.random.default_rng(seed).normal(size=(6, 3))
    )
    eraser = fit("bam(pairs=definitional)", vectors, small_concept())
    rows = vectors.matrix.astype(np.float64)
    expected = orthogonal_procrustes(rows[::2], rows[1::2])[0]
    np.testing.assert_allclose(whole_map(eraser), expected, atol=1e-8)
    assert eraser.stages[0].details["dimensions-determined"] == 3


def test_pairs_of_real_vectors_give_the_usual_answer_where_there_are_enough() -> None:
    vectors, gender = load(), concept("gender")
    eraser = fit("bam(pairs=gendered)", vectors, gender)
    [use] = eraser.stages[0].words
    rows = vectors.matrix[vectors.words.rows_of(use.used)].astype(np.float64)
    expected = orthogonal_procrustes(rows[::2], rows[1::2])[0]
    np.testing.assert_allclose(whole_map(eraser), expected, atol=1e-7)


def test_the_released_code_is_replicated_and_what_it_leaves_open_is_told() -> None:
    vectors = load()
    eraser = fit("bam(procrustes=v)", vectors, concept("gender"))
    first, second = (
        vectors.matrix[vectors.words.rows_of(use.used)].astype(np.float64)
        for use in eraser.stages[0].words
    )
    A = np.array([a for a in first for _ in second])
    B = np.array([b for _ in first for b in second])
    V = np.linalg.svd(A.T @ B)[2]
    # Only the first row of V' is determined; the others are the library's.
    row = whole_map(eraser)[0]
    assert abs(row @ V[0]) == pytest.approx(1, abs=1e-8)
    assert eraser.stages[0].warnings == ("the words determine 1 of 100 dimensions of V",)


def test_swapping_the_lists_turns_the_other_way() -> None:
    vectors = wide_space(seed=1)
    there = whole_map(fit("bam(left, right)", vectors, small_concept()))
    back = whole_map(fit("bam(right, left)", vectors, small_concept()))
    np.testing.assert_allclose(there, back.T, atol=1e-12)


def test_lists_with_the_same_mean_change_nothing() -> None:
    vectors = wide_space(seed=1)
    matrix = vectors.matrix.copy()
    matrix[3:6] = matrix[:3]
    eraser = fit("bam", WordVectors(vectors.words, matrix, vectors.lineage), small_concept())
    rows = np.random.default_rng(0).normal(size=(5, vectors.dim))
    np.testing.assert_allclose(eraser.apply(rows), rows, atol=1e-12)
    assert eraser.stages[0].details["gap-left"] is None


def test_means_at_a_right_angle_leave_a_choice_that_is_told() -> None:
    words = ["l0", "l1", "l2", "r0", "r1", "r2"]
    vectors = space(words, np.repeat(np.eye(4)[:2], 3, axis=0))
    [warning] = fit("bam", vectors, small_concept()).stages[0].warnings
    assert "equally close" in warning


def test_a_mean_of_zero_is_refused() -> None:
    words = ["l0", "l1", "r0", "r1"]
    vectors = space(words, np.array([[1.0, 0], [-1, 0], [0, 1], [0, 2]]))
    with pytest.raises(UnslantError, match="bam has nothing to align"):
        fit("bam", vectors, small_concept())


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("bam(procrustes=u)", "must be one of uv, v"),
        ("bam(pairs=none)", 'No set of toy is called "none"'),
        ("bam(left, left)", "given twice"),
    ],
)
def test_what_makes_no_sense_is_refused(expression: str, said: str) -> None:
    with pytest.raises(UnslantError, match=said):
        fit(expression, wide_space(seed=0), small_concept())


def test_more_than_two_groups_or_columns_are_refused() -> None:
    with pytest.raises(UnslantError, match="two groups"):
        fit("bam", load(), concept("religion"))
    with pytest.raises(UnslantError, match="has 3 columns"):
        fit("bam(pairs=definitional)", load(), concept("religion"))
