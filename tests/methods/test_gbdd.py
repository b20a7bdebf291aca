"""GBDD against all differences written out."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import wide_space
from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_the_directions_are_those_of_all_written_out_differences(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    words = ["l0", "l1", "l2", "r0", "r1", "r2", "n0", "n1"]
    vectors = space(words, rng.normal(size=(8, 5)) * 3)
    units = vectors.matrix.astype(np.float64)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    differences = np.array([units[i] - units[j] for i in range(3) for j in range(3, 6)])
    axes = np.linalg.svd(differences)[2][:k]
    removed = fit(f"gbdd(k={k})", vectors, small_concept()).stages[0].removed
    assert removed is not None
    np.testing.assert_allclose(removed.T @ removed, axes.T @ axes, atol=1e-7)
    assert removed[0] @ differences.mean(axis=0) >= 0


def test_the_written_out_differences_agree_on_real_vectors() -> None:
    vectors, gender = load(), concept("gender")
    stage = fit("gbdd(names)", vectors, gender).stages[0]
    sides = []
    for use in stage.words:
        rows = vectors.matrix[vectors.words.rows_of(use.used)].astype(np.float64)
        sides.append(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    differences = (sides[0][:, None] - sides[1][None]).reshape(-1, vectors.dim)
    g = np.linalg.svd(differences, full_matrices=False)[2][0]
    assert stage.removed is not None
    assert abs(stage.removed[0] @ g) == pytest.approx(1, abs=1e-10)
    assert stage.details["differences"] == len(differences) == 10_000
    separation = stage.details["separation"]
    assert isinstance(separation, float)
    assert separation > 0.95


def test_differences_between_all_pairs_of_three_groups_count() -> None:
    vectors, religion = load(), concept("religion")
    stage = fit("gbdd(k=2)", vectors, religion).stages[0]
    assert [use.set for use in stage.words] == list(religion.groups)
    units = []
    for use in stage.words:
        rows = vectors.matrix[vectors.words.rows_of(use.used)].astype(np.float64)
        units.append(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    pairs = [(0, 1), (0, 2), (1, 2)]
    differences = np.array([a - b for i, j in pairs for a in units[i] for b in units[j]])
    axes = np.linalg.svd(differences)[2][:2]
    assert stage.removed is not None
    np.testing.assert_allclose(stage.removed.T @ stage.removed, axes.T @ axes, atol=1e-8)


def test_two_lists_by_name_are_taken() -> None:
    vectors = wide_space(seed=0)
    by_name = fit("gbdd(left, right)", vectors, small_concept())
    by_group = fit("gbdd", vectors, small_concept())
    assert debiased(vectors, by_name).content_hash == debiased(vectors, by_group).content_hash


def test_a_zero_vector_is_refused_by_its_word() -> None:
    vectors = wide_space(seed=0)
    matrix = vectors.matrix.copy()
    matrix[list(vectors.words).index("l1")] = 0
    with pytest.raises(UnslantError, match='"l1" has the zero vector'):
        fit("gbdd", WordVectors(vectors.words, matrix, vectors.lineage), small_concept())


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("gbdd(k=0)", "at least 1"),
        ("gbdd(k=50)", "fewer independent differences"),
        ("gbdd(left, left)", "given twice"),
        ("gbdd(things)", r"gbdd\(names\)"),
    ],
)
def test_what_makes_no_sense_is_refused(expression: str, said: str) -> None:
    with pytest.raises(UnslantError, match=said):
        fit(expression, wide_space(seed=0), small_concept())
