import numpy as np
import pytest

from tests.spaces import small_concept, space
from unslant.concepts import concept
from unslant.subspaces.stability import stability
from unslant.vectors import WordVectors


def test_ratios_are_those_of_the_singular_values() -> None:
    rng = np.random.default_rng(0)
    words = ["l0", "l1", "l2", "r0", "r1", "r2"]
    vectors = space(words, rng.normal(size=(6, 9)))
    rows = vectors.matrix.astype(float) - vectors.matrix.astype(float).mean(axis=0)
    values = np.linalg.svd(rows, compute_uv=False)
    [row] = stability(vectors, small_concept(), others=("set-pca(all)",))
    assert np.allclose(row.ratios, values[1:4] / values[0])
    assert 0 <= row.cosine <= 1


def test_a_direction_agrees_with_itself_fully(glove: WordVectors) -> None:
    gender = concept("gender")
    [row] = stability(glove, gender, others=("pair-difference(she, he)",))
    assert row.cosine == pytest.approx(1.0)
    assert row.ratios == ()


def test_on_real_vectors_gendered_pairs_have_one_leading_direction_near_she_he(
    glove: WordVectors,
) -> None:
    [row] = stability(glove, concept("gender"), others=("pair-pca(stability)",))
    assert row.ratios[0] < 0.8
    assert row.cosine > 0.6
