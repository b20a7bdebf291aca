"""What an estimator finds in random words: where it is known, and beside real words."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from unslant.concepts import WordPolicy, concept
from unslant.subspaces.estimator import estimate
from unslant.subspaces.stability import shares_by_chance, stability
from unslant.vectors import WordVectors

WORDS = ["l0", "l1", "l2", "r0", "r1", "r2"]
POLICY = WordPolicy(missing="drop")


def test_shares_are_those_of_the_same_estimator_on_drawn_rows_written_out() -> None:
    # With as many vectors as words each draw is a shuffle of them all, and the centred set is the
    # same whichever word has which vector.
    vectors = space(WORDS, np.random.default_rng(0).normal(size=(6, 9)))
    toy = small_concept()
    own = estimate("set-pca(all)", vectors, toy, POLICY)
    chance = shares_by_chance("set-pca(all)", own, vectors, toy, POLICY, draws=3)
    rows = vectors.matrix.astype(float) - vectors.matrix.astype(float).mean(axis=0)
    powers = np.linalg.svd(rows, compute_uv=False) ** 2
    assert np.allclose(chance, powers / powers.sum(), atol=1e-9)


def test_the_draws_depend_on_the_seed_alone(glove: WordVectors) -> None:
    gender = concept("gender")
    own = estimate("pair-pca(definitional)", glove, gender, POLICY)
    draws = [
        shares_by_chance("pair-pca(definitional)", own, glove, gender, POLICY, draws=2, seed=seed)
        for seed in (0, 0, 1)
    ]
    assert draws[0] == draws[1] != draws[2]
    assert all(0 <= share <= 1 for share in draws[0])
    assert list(draws[0]) == sorted(draws[0], reverse=True)


def test_real_pairs_have_a_leading_direction_that_random_pairs_lack(glove: WordVectors) -> None:
    [row] = stability(glove, concept("gender"), others=("pair-pca(definitional)",))
    assert len(row.explained) == len(row.chance) == 10
    assert row.explained[0] > 2 * row.chance[0]
    assert row.ratios[0] == pytest.approx((row.explained[1] / row.explained[0]) ** 0.5)


def test_an_estimate_of_one_axis_and_a_space_of_few_words_have_none(glove: WordVectors) -> None:
    [row] = stability(glove, concept("gender"), others=("two-means(names)",))
    assert (row.explained, row.chance) == ((), ())
    matrix = np.random.default_rng(1).normal(size=(6, 9))
    matrix[5] = 0  # it has no vector, so five are left for six words
    toy, vectors = small_concept(), space(WORDS, matrix)
    own = estimate("set-pca(all)", vectors, toy, POLICY)
    assert shares_by_chance("set-pca(all)", own, vectors, toy, POLICY) == ()
