"""Clustering: constructed clusters, invariance, edges and real vectors."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import moved, wide_space, without_direction, without_sides
from unslant.concepts import concept
from unslant.measures.running import measure
from unslant.vectors import WordVectors

TOY = small_concept()


def test_words_that_fall_apart_by_side_are_told_apart_without_error() -> None:
    result = measure("clustering(n=100)", wide_space(0, 400, lean=9.0), TOY)
    assert result.value == 1.0
    assert result.details["V-measure"] == pytest.approx(1.0)
    assert {(p["side"], p["cluster"]) for p in result.points} in (
        {("left", "1"), ("right", "2")},
        {("left", "2"), ("right", "1")},
    )


def test_a_space_that_knows_nothing_of_the_sides_is_near_chance() -> None:
    before = wide_space(0, 400, lean=2.0)
    after = wide_space(1, 400)
    result = measure("clustering(n=150)", after, TOY, baseline=before)
    assert result.value is not None
    assert 0.5 <= result.value < 0.62
    assert float(result.details["V-measure"] or 0) < 0.05


def test_the_accuracy_is_that_of_the_clusters_in_the_points() -> None:
    result = measure("clustering(n=150)", wide_space(3, 400, lean=0.5), TOY)
    same = np.mean([(p["side"] == "left") == (p["cluster"] == "1") for p in result.points])
    assert result.value == pytest.approx(max(same, 1 - same))
    sizes = [sum(p["cluster"] == name for p in result.points) for name in ("1", "2")]
    assert result.details["smaller-cluster"] == min(sizes)


def test_clusters_are_those_that_lie_nearest_to_their_own_mean() -> None:
    vectors = wide_space(4, 400, lean=0.6)
    result = measure("clustering(n=150)", vectors, TOY)
    rows = np.array([vectors[str(p["word"])].astype(float) for p in result.points])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cluster = np.array([int(p["cluster"]) for p in result.points])
    means = np.stack([rows[cluster == number].mean(axis=0) for number in (1, 2)])
    distances = np.linalg.norm(rows[:, None] - means[None], axis=2)
    assert (distances.argmin(axis=1) + 1 == cluster).mean() > 0.99


def test_turning_and_scaling_change_nothing() -> None:
    vectors = wide_space(5, 400, lean=1.0)
    one = measure("clustering(n=100)", vectors, TOY)
    other = measure("clustering(n=100)", moved(vectors, 6, 12.0), TOY)
    assert one.value == pytest.approx(other.value)


def test_length_counts_only_when_told_so() -> None:
    vectors = wide_space(5, 400, lean=0.3)
    stretched = vectors.matrix.copy()
    stretched[10::2] *= 50
    uneven = space(list(vectors.words), stretched)
    assert measure("clustering(n=100)", uneven, TOY).value == pytest.approx(
        measure("clustering(n=100)", vectors, TOY).value
    )
    raw = measure("clustering(n=100, unit_length=false)", uneven, TOY)
    assert raw.value != measure("clustering(n=100)", uneven, TOY).value


def test_degenerate_spaces_are_na_with_the_reason() -> None:
    vectors = wide_space(0, 400)
    assert "same vector" in measure("clustering", without_sides(vectors), TOY).why_undefined
    point = space(list(vectors.words), np.ones((410, 8)))
    result = measure("clustering(n=100)", point, TOY, baseline=vectors)
    assert result.value is None
    assert "all of these words have the same vector" in result.why_undefined


def test_on_real_vectors_the_sides_fall_apart_and_stay_apart_without_the_direction(
    glove: WordVectors,
) -> None:
    gender = concept("gender")
    before = measure("clustering", glove, gender)
    after = measure("clustering", without_direction(glove, gender), gender, baseline=glove)
    assert before.value is not None
    assert after.value is not None
    assert before.value > 0.95  # published for GloVe 300d: 0.998
    assert 0.6 < after.value < before.value  # published after hard debiasing: 0.790
    assert len(before.points) == 1500
    assert measure("clustering", glove, gender) == before
