"""Indirect bias: a slow second implementation, invariance, edges and real vectors."""

from itertools import combinations

import numpy as np
import pytest

from tests.spaces import small_concept
from tests.wide import moved, wide_space, without_direction, without_sides
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import UndefinedMeasureError, UnslantError
from unslant.measures.running import measure
from unslant.vectors import WordVectors

TOY = small_concept()


def slow(vectors: WordVectors, words: list[str], near: float) -> list[float]:
    """β of every pair of near words, from projections."""
    rows = {word: vectors[word].astype(float) for word in [*words, "l0", "r0"]}
    g = rows["l0"] - rows["r0"]
    g /= np.linalg.norm(g)
    shares = []
    for one, other in combinations(words, 2):
        w, v = (rows[word] / np.linalg.norm(rows[word]) for word in (one, other))
        if abs(w @ v) >= near:
            a, b = w - (w @ g) * g, v - (v @ g) * g
            rest = a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
            shares.append((w @ v - rest) / (w @ v))
    return shares


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("near", [0.05, 0.25])
def test_it_equals_the_definition_written_out(seed: int, near: float) -> None:
    vectors = wide_space(seed, 4, dim=3)
    shares = slow(vectors, ["n0", "n1", "n2", "n3"], near)
    result = measure(f"indirect-bias(near={near})", vectors, TOY)
    assert result.value == pytest.approx(np.mean(shares), rel=1e-5)
    assert result.details["pairs"] == len(shares)
    assert sorted(p["share"] for p in result.points) == pytest.approx(sorted(shares), rel=1e-5)


def test_it_does_not_change_when_the_space_is_turned_or_scaled() -> None:
    vectors = wide_space(1, 4, dim=4)
    one = measure("indirect-bias", vectors, TOY)
    other = measure("indirect-bias", moved(vectors, 2, 30.0), TOY)
    assert one.value == pytest.approx(other.value, abs=1e-5)


def test_words_that_share_only_the_direction_owe_all_of_their_similarity_to_it() -> None:
    corners = {"l0": [1, 0, 0], "r0": [-1, 0, 0], "n0": [3, 4, 0], "n1": [3, 0, 4]}
    corners |= {"n2": [-3, 0, -4], "n3": [-3, -4, 0]}
    result = measure("indirect-bias", WordVectors.of(corners), TOY)
    shares = {(p["word"], p["other"]): p["share"] for p in result.points}
    assert shares["n0", "n1"] == pytest.approx(1.0)
    assert shares["n0", "n3"] == pytest.approx(0.0)


def test_without_the_direction_nothing_is_owed_to_it(glove: WordVectors) -> None:
    gender = concept("gender")
    after = without_direction(glove, gender)
    pairs = glove.words.rows_of(["she", "he"])
    matrix = after.matrix.copy()
    matrix[pairs] = glove.matrix[pairs]
    kept = WordVectors(glove.words, matrix, glove.lineage)
    assert measure("indirect-bias", kept, gender, WordPolicy(missing="drop")).value == (
        pytest.approx(0, abs=1e-6)
    )


def test_pairs_without_a_share_are_counted_and_left_out() -> None:
    corners = {"l0": [1.0, 0, 0], "r0": [-1.0, 0, 0], "n0": [2.0, 0, 0], "n1": [1.0, 1, 0]}
    corners |= {"n2": [0.0, 1, 0], "n3": [0.0, 0, 1]}
    result = measure("indirect-bias(near=0)", WordVectors.of(corners), TOY)
    assert result.details["pairs"] == 1
    assert result.details["pairs-left-undefined"] == 5
    assert result.value == pytest.approx(slow(WordVectors.of(corners), ["n1", "n2"], 0)[0])


def test_it_is_na_with_a_reason_without_a_direction_or_near_pairs() -> None:
    assert (
        "same vector"
        in measure("indirect-bias", without_sides(wide_space(0, 4)), TOY).why_undefined
    )
    result = measure("indirect-bias(near=0.999)", wide_space(0, 4), TOY)
    assert result.value is None
    assert "no two words in things" in result.why_undefined


def test_a_bound_that_is_no_cosine_or_a_concept_without_neutral_words_is_one_sentence(
    glove: WordVectors,
) -> None:
    with pytest.raises(UnslantError, match='"near" parameter'):
        measure("indirect-bias(near=1.5)", glove, concept("gender"))
    with pytest.raises(UndefinedMeasureError, match="no neutral words"):
        measure("indirect-bias", glove, concept("caliskan"))


def test_professions_owe_little_on_average_but_some_pairs_much_on_real_vectors(
    glove: WordVectors,
) -> None:
    policy = WordPolicy(missing="drop")
    result = measure("indirect-bias(neutral=professions)", glove, concept("gender"), policy)
    assert result.value is not None
    assert result.interval is not None
    assert result.interval.low < result.value < result.interval.high
    assert abs(result.value) < 0.05
    assert 0.01 < float(result.details["mean-size"] or 0) < 0.1
    strongest = max(result.points, key=lambda point: float(point["share"]))
    assert float(strongest["share"]) > 0.1
