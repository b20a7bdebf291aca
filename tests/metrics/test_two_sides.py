"""How close words are to both sides: against the definition, and which words stand for a side."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from unslant.concepts import WordPolicy, concept
from unslant.concepts.read import parse_concept
from unslant.measures.running import measure
from unslant.metrics.direct_bias import two_sides
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors

WORDS = ["l0", "l1", "l2", "r0", "r1", "r2", "n0", "n1", "n2", "n3"]


def random_space(seed: int) -> WordVectors:
    return space(WORDS, np.random.default_rng(seed).normal(size=(10, 7)))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a.astype(float), b.astype(float)
    return float(sum(a * b) / (sum(a * a) * sum(b * b)) ** 0.5)


@pytest.mark.parametrize(
    ("direction", "first", "second"),
    [
        ("", ["l0"], ["r0"]),
        ("two-means(words)", ["l0", "l1", "l2"], ["r0", "r1", "r2"]),
        ("pair-pca(definitional)", ["l0", "l1", "l2"], ["r0", "r1", "r2"]),
    ],
)
def test_a_point_has_the_mean_cosine_with_the_words_of_each_side(
    direction: str, first: list[str], second: list[str]
) -> None:
    vectors = random_space(1)
    result = measure(f'direct-bias(subspace="{direction}")', vectors, small_concept())
    for point in result.points:
        word = vectors[str(point["word"])]
        for side, words in (("first", first), ("second", second)):
            expected = sum(cosine(word, vectors[other]) for other in words) / len(words)
            assert point[f"{side}-cosine"] == pytest.approx(expected, abs=1e-6)
    assert result.details["words-of-the-first-side"] == ", ".join(first)
    assert result.details["words-of-the-second-side"] == ", ".join(second)


def test_the_direction_and_the_cosines_agree_about_the_side_of_a_pair(glove: WordVectors) -> None:
    result = measure(
        "direct-bias(neutral=professions)", glove, concept("gender"), WordPolicy(missing="drop")
    )
    assert (result.details["first-side"], result.details["second-side"]) == ("she", "he")
    gaps = [float(p["first-cosine"]) - float(p["second-cosine"]) for p in result.points]
    leans = [float(p["projection"]) for p in result.points]
    assert np.corrcoef(gaps, leans)[0, 1] > 0.95
    points = {point["word"]: point for point in result.points}
    nurse = points["nurse"]
    assert float(nurse["first-cosine"]) > float(nurse["second-cosine"])


@pytest.mark.parametrize(
    ("name", "sides"),
    [
        ("race", ("african-american", "european-american")),
        ("religion", ("jewish", "christian")),
        ("nationality", ("american", "chinese")),
        ("age", ("young", "old")),
    ],
)
def test_every_concept_has_two_sides(glove: WordVectors, name: str, sides: tuple[str, str]) -> None:
    chosen, policy = concept(name), WordPolicy(missing="drop")
    found = two_sides(glove, chosen, estimate(None, glove, chosen, policy), policy)
    assert found is not None
    assert found.names == sides


def test_after_debiasing_the_cosines_are_with_the_sides_of_before() -> None:
    """Else the sides move with the words, and the picture tells another story than the measure."""
    before = random_space(2)
    noise = np.random.default_rng(3).normal(size=before.matrix.shape)
    after = space(WORDS, before.matrix + 0.3 * noise)
    result = measure("direct-bias", after, small_concept(), baseline=before)
    [point] = [point for point in result.points if point["word"] == "n0"]
    assert point["first-cosine"] == pytest.approx(cosine(after["n0"], before["l0"]), abs=1e-6)


def test_a_side_without_a_word_leaves_the_cosines_out_and_the_value_in() -> None:
    toy = parse_concept(
        """
name = "one-sided"
title = "One-sided"
groups = ["left", "right"]
[words]
left = ["l0", "l1"]
right = ["gone"]
[neutral]
things = ["n0", "n1"]
[lists]
all = ["l0", "l1", "l2", "r0"]
""",
        "toy.toml",
    )
    result = measure('direct-bias(subspace="set-pca(all)")', random_space(4), toy)
    assert result.value is not None
    assert all("first-cosine" not in point for point in result.points)
    assert "first-side" not in result.details


def test_a_word_with_the_zero_vector_leaves_the_cosines_out() -> None:
    matrix = random_space(5).matrix.copy()
    matrix[1] = 0  # l1
    toy = small_concept()
    vectors = space(WORDS, matrix)
    subspace = estimate("set-pca(all)", vectors, toy)
    assert two_sides(vectors, toy, subspace, WordPolicy()) is None
