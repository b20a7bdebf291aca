"""Biased analogies: a slow second implementation, what is so by definition, and real vectors."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import letter_words, moved, wide_space, without_sides
from unslant.concepts import concept
from unslant.core.errors import UndefinedMeasureError
from unslant.measures.running import measure
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors

TOY = small_concept()


def slow(vectors: WordVectors, words: list[str], delta: float) -> list[tuple[float, str, str]]:
    """The best y of every x, best pair first."""
    units = {word: vectors[word].astype(float) for word in [*words, "l0", "r0"]}
    g = units["l0"] - units["r0"]
    units = {word: row / np.linalg.norm(row) for word, row in units.items()}
    pairs = []
    for x in words:
        scored = [(0.0, x, x)]
        for y in words:
            gap = units[x] - units[y]
            length = np.linalg.norm(gap)
            if 0 < length <= delta:
                scored.append((float(gap @ g / length / np.linalg.norm(g)), x, y))
        pairs.append(max(scored))
    return sorted((pair for pair in pairs if pair[0] > 0), reverse=True)


@pytest.mark.parametrize("delta", [0.7, 1.0, 1.3])
@pytest.mark.parametrize("seed", range(3))
def test_it_equals_the_definition_written_out(seed: int, delta: float) -> None:
    vectors = wide_space(seed, 60, dim=4)
    expected = slow(vectors, letter_words(60), delta)[:20]
    result = measure(f"biased-analogies(delta={delta}, top=20)", vectors, TOY)
    found = [(p["first"], p["second"]) for p in result.points]
    assert found == [(x, y) for _, x, y in expected]
    assert result.value == pytest.approx(np.mean([score for score, _, _ in expected]), rel=1e-4)


def test_turning_scaling_and_naming_the_pair_the_other_way_round_change_nothing() -> None:
    vectors = wide_space(4, 60, dim=4)
    one = measure("biased-analogies(top=20)", vectors, TOY)
    other = measure("biased-analogies(top=20)", moved(vectors, 1, 8.0), TOY)
    assert one.value == pytest.approx(other.value, rel=1e-4)
    swapped = measure('biased-analogies(top=1, subspace="pair-difference(r0, l0)")', vectors, TOY)
    assert swapped.points[0] == one.points[0]


def test_pairs_with_words_that_the_concept_names_are_listed_but_not_counted() -> None:
    vectors = wide_space(5, 60, dim=4)
    first = slow(vectors, letter_words(60), 1.0)
    _, x, _ = first[0]
    named = small_concept(f'[specific]\nown = ["{x}"]')
    rest = slow(vectors, [word for word in letter_words(60) if word != x], 1.0)[:10]
    result = measure("biased-analogies(top=10)", vectors, named)
    assert result.value == pytest.approx(np.mean([score for score, _, _ in rest]), rel=1e-4)
    listed = [p["first"] for p in result.points if p["named-by-the-concept"] == "yes"]
    assert listed[0] == x
    expected = sum(x in (one, other) for _, one, other in first[:10]) / 10
    assert result.details["share-of-those-with-a-word-that-the-concept-names"] == expected


def test_words_across_the_direction_have_no_analogies() -> None:
    matrix = wide_space(0, 60).matrix.copy()
    matrix[:6, 1:] = 0
    matrix[10:, 0] = 0
    vectors = space(list(wide_space(0, 60).words), matrix)
    result = measure("biased-analogies", vectors, TOY)
    assert result.value is None
    assert "score above 0" in result.why_undefined


def test_degenerate_and_wrong_inputs_say_so() -> None:
    vectors = wide_space(0, 60)
    assert "same vector" in measure("biased-analogies", without_sides(vectors), TOY).why_undefined
    assert "were requested" in measure("biased-analogies", vectors, TOY).warnings[0]
    with pytest.raises(UndefinedMeasureError, match="0 are plain words"):
        measure("biased-analogies(candidates=3)", vectors, TOY)


def test_real_vectors_give_known_pairs_and_lower_scores_without_the_direction(
    glove: WordVectors,
) -> None:
    gender = concept("gender")
    before = measure("biased-analogies", glove, gender)
    assert before.value is not None
    assert 0.3 < before.value < 0.7
    pairs = {(p["first"], p["second"]): p["named-by-the-concept"] for p in before.points}
    assert pairs["she", "he"] == "yes"
    assert any(x == "nurse" for x, _ in pairs)
    matrix = estimate(None, glove, gender).project_out(glove.matrix)
    keep = glove.words.rows_of(["she", "he"])
    matrix[keep] = glove.matrix[keep]
    after = measure("biased-analogies", WordVectors(glove.words, matrix, glove.lineage), gender)
    assert after.value is not None
    assert after.value < 0.01
