"""Every estimator finds the direction that was built in, or says that there is none."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import (
    DegenerateSubspaceError,
    ExpressionError,
    MissingWordsError,
    UnslantError,
)
from unslant.numerics.linalg import safe_angle, safe_cosine, unit
from unslant.subspaces.estimator import ESTIMATORS, estimate
from unslant.subspaces.subspace import Subspace
from unslant.vectors import WordVectors

DIM = 30
WORDS = ["l0", "l1", "l2", "r0", "r1", "r2", "n0", "n1", "n2", "n3"]
TRUE = unit(np.random.default_rng(42).normal(size=DIM))
METHODS = [
    "pair-difference(l0, r0)",
    "pair-pca(definitional)",
    "two-means(names)",
    "set-pca(all)",
    "names(k=1)",
    "classifier-normal(names)",
]


def planted(separation: float, seed: int = 0) -> WordVectors:
    """Pairs that differ along TRUE by ``separation`` times their length, rounded to 6 digits."""
    rng = np.random.default_rng(seed)
    centre = rng.normal(size=DIM)
    centre *= 5 / np.linalg.norm(centre)
    rows = [centre + side * separation * 2.5 * TRUE for side in (1, 1, 1, -1, -1, -1)]
    rows += list(rng.normal(size=(4, DIM)))
    text = [[float(f"{value:.6g}") for value in row] for row in rows]
    return space(WORDS, np.array(text))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("power", range(10))
def test_a_direction_is_right_or_refused(method: str, power: int) -> None:
    vectors = planted(10.0**-power)
    try:
        found = estimate(method, vectors, small_concept())
    except DegenerateSubspaceError:
        if power < 3:
            raise
        return
    angle = safe_angle(found.basis[0], TRUE)
    assert np.degrees(min(angle, np.pi - angle)) < 5


@pytest.mark.parametrize("method", METHODS)
def test_a_weak_direction_comes_with_a_warning(method: str) -> None:
    found = estimate(method, planted(2e-3), small_concept())
    assert found.strength is not None
    assert 1e-4 < found.strength < 1e-2
    assert "separation is only" in found.warnings[0]


@pytest.mark.parametrize("method", [m for m in METHODS if "set-pca" not in m])
def test_the_first_group_is_on_the_positive_side(method: str) -> None:
    vectors = planted(0.5)
    found = estimate(method, vectors, small_concept())
    assert vectors["l1"] @ found.basis[0] > vectors["r1"] @ found.basis[0]


def test_pair_pca_equals_the_singular_vectors_of_the_differences() -> None:
    rng = np.random.default_rng(3)
    vectors = space(WORDS, rng.normal(size=(10, DIM)))
    lengths = np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    rows = (vectors.matrix / lengths)[:6].astype(float)
    expected = np.linalg.svd(rows[:3] - rows[3:6], full_matrices=False)[2][:2]
    found = estimate("pair-pca(k=2)", vectors, small_concept())
    assert np.allclose(np.abs(found.basis @ expected.T), np.eye(2), atol=1e-6)


@pytest.mark.parametrize("centred", [False, True])
def test_names_equals_the_principal_axes_of_all_written_out_differences(centred: bool) -> None:
    rng = np.random.default_rng(4)
    vectors = space(WORDS, rng.normal(size=(10, DIM)) + 1)
    left, right = vectors.matrix[:3].astype(float), vectors.matrix[3:6].astype(float)
    differences = (left[:, None] - right[None]).reshape(-1, DIM)
    if centred:
        differences = differences - differences.mean(axis=0)
    _, values, axes = np.linalg.svd(differences, full_matrices=False)
    found = estimate(f"names(k=2, centred={str(centred).lower()})", vectors, small_concept())
    assert np.allclose(np.abs(found.basis @ axes[:2].T), np.eye(2), atol=1e-6)
    assert np.allclose(found.weights, (values**2 / (values**2).sum())[:2])
    means = left.mean(axis=0) - right.mean(axis=0)
    assert (found.basis @ means >= -1e-9).all()


def test_uncentred_names_find_the_mean_difference_and_centred_ones_do_not(
    glove: WordVectors,
) -> None:
    gender = concept("gender")
    means = estimate("two-means(names)", glove, gender).basis[0]
    uncentred = estimate("names(k=1)", glove, gender).basis[0]
    centred = estimate("names(k=1, centred=true)", glove, gender).basis[0]
    assert abs(safe_cosine(uncentred, means)) > 0.95
    assert abs(safe_cosine(centred, means)) < 0.6


def test_two_means_of_unit_means_is_the_form_of_cheung_and_ip() -> None:
    vectors = planted(0.5)
    left = vectors.matrix[:3].astype(float).mean(axis=0)
    right = vectors.matrix[3:6].astype(float).mean(axis=0)
    found = estimate("two-means(names, unit_means=true)", vectors, small_concept())
    assert np.allclose(found.basis[0], unit(unit(left) - unit(right)))


def test_a_random_direction_depends_on_its_seed_only(glove: WordVectors) -> None:
    gender = concept("gender")
    first, again, other = (estimate(f"random(seed={s})", glove, gender) for s in (1, 1, 2))
    assert np.array_equal(first.basis, again.basis)
    assert not np.allclose(first.basis, other.basis)


def test_the_same_words_on_both_sides_give_no_direction() -> None:
    same = space(WORDS, np.ones((10, DIM)))
    for method in METHODS:
        with pytest.raises(DegenerateSubspaceError):
            estimate(method, same, small_concept())


def test_more_components_than_independent_pairs_are_refused() -> None:
    with pytest.raises(DegenerateSubspaceError, match="only 1"):
        estimate("pair-pca(k=2)", planted(0.5), small_concept())
    with pytest.raises(DegenerateSubspaceError, match="fewer independent"):
        estimate("names(k=20)", planted(0.5), small_concept())


def test_a_pair_needs_both_words_whatever_the_policy() -> None:
    with pytest.raises(MissingWordsError):
        estimate("pair-difference(l0, gone)", planted(1), small_concept())
    with pytest.raises(
        DegenerateSubspaceError, match=r'"gone" is missing from space\. Use another direction'
    ):
        estimate(
            "pair-difference(l0, gone)", planted(1), small_concept(), WordPolicy(missing="drop")
        )


def test_a_pair_with_a_zero_vector_names_the_word() -> None:
    vectors = space(["l0", "r0"], np.array([[0.0, 0], [1, 2]]))
    with pytest.raises(DegenerateSubspaceError, match='"l0" has the zero vector'):
        estimate("pair-difference(l0, r0)", vectors, small_concept())


def test_random_directions_leave_at_least_one_dimension() -> None:
    vectors = space(["l0", "r0"], np.array([[0.0, 0, 1], [1, 2, 3]]))
    assert estimate("random(k=2)", vectors, small_concept()).k == 2
    with pytest.raises(ExpressionError, match="less than the dimension of space, 3"):
        estimate("random(k=3)", vectors, small_concept())


def test_pairs_with_a_missing_word_are_left_out_whole_and_listed() -> None:
    vectors = planted(0.5).only([w for w in WORDS if w != "r1"])
    with pytest.raises(MissingWordsError):
        estimate("pair-pca(definitional)", vectors, small_concept())
    found = estimate("pair-pca", vectors, small_concept(), WordPolicy(missing="drop"))
    [use] = found.words
    assert use.used == ("l0", "r0", "l2", "r2")
    assert (use.missing, use.set_aside) == (("r1",), ("l1",))


def test_three_groups_have_a_subspace_of_two_dimensions(glove: WordVectors) -> None:
    found = estimate(None, glove, concept("race-multi"))
    assert found.k == 2
    assert np.allclose(found.basis @ found.basis.T, np.eye(2))


@pytest.mark.parametrize("name", ["gender", "race", "religion", "nationality", "age", "race-multi"])
def test_every_bundled_direction_and_alternative_works_on_real_vectors(
    name: str, glove: WordVectors
) -> None:
    item = concept(name)
    for expression in (item.direction, *item.alternatives):
        found = estimate(expression, glove, item, WordPolicy(missing="drop"))
        assert not found.warnings
        assert np.isclose(np.linalg.norm(found.basis[0]), 1)


def test_a_concept_of_many_groups_asks_for_two_lists(glove: WordVectors) -> None:
    with pytest.raises(ExpressionError, match=r"two groups.*as in two-means\(jewish, christian\)"):
        estimate("two-means(words)", glove, concept("religion"))
    found = estimate("two-means(jewish, muslim)", glove, concept("religion"))
    assert found.k == 1


def test_a_concept_without_a_direction_says_so(glove: WordVectors) -> None:
    with pytest.raises(ExpressionError, match="no default direction"):
        estimate(None, glove, concept("caliskan"))


def test_a_basis_that_is_not_orthonormal_is_refused() -> None:
    with pytest.raises(ValueError, match="orthonormal"):
        Subspace(basis=np.array([[1.0, 1.0]]), estimator="x")


def test_zero_vectors_among_the_words_give_an_error_and_never_a_nan() -> None:
    matrix = np.random.default_rng(0).normal(size=(10, DIM))
    matrix[[0, 3]] = 0
    for method in METHODS:
        try:
            found = estimate(method, space(WORDS, matrix), small_concept())
        except UnslantError:
            continue
        assert np.isfinite(found.basis).all()


def test_every_estimator_has_a_summary_and_a_citation() -> None:
    entries = list(ESTIMATORS)
    assert len(entries) == 7
    assert all(entry.summary and entry.cites for entry in entries)


def test_the_same_list_given_twice_is_refused(glove: WordVectors) -> None:
    with pytest.raises(ExpressionError, match="given twice"):
        estimate("two-means(occupations, occupations)", glove, concept("gender"))
