"""Direct bias: constructed spaces, a slow second implementation, and where it is undefined."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from unslant.concepts import concept
from unslant.concepts.vocabulary import frequent_words
from unslant.core.errors import UndefinedMeasureError, UnslantError
from unslant.measures.running import measure
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors

WORDS = ["l0", "l1", "l2", "r0", "r1", "r2", "n0", "n1", "n2", "n3"]


def random_space(seed: int) -> WordVectors:
    return space(WORDS, np.random.default_rng(seed).normal(size=(10, 7)))


@pytest.mark.parametrize("c", [1.0, 0.5, 2.0])
@pytest.mark.parametrize("seed", range(4))
def test_it_equals_the_definition_written_out(c: float, seed: int) -> None:
    vectors = random_space(seed)
    g = vectors["l0"].astype(float) - vectors["r0"].astype(float)
    g /= sum(g * g) ** 0.5
    sizes = []
    for word in ("n0", "n1", "n2", "n3"):
        w = vectors[word].astype(float)
        sizes.append(abs(float(sum(w * g)) / sum(w * w) ** 0.5) ** c)
    result = measure(f"direct-bias(c={c})", vectors, small_concept())
    assert result.value == pytest.approx(sum(sizes) / 4, rel=1e-6)


def test_words_on_the_direction_have_bias_1_and_words_across_it_0() -> None:
    axes = {w: [1.0, 0.0, 0.0] for w in ("l0", "l1", "l2", "n0", "n1", "n2", "n3")}
    axes |= {w: [-1.0, 0.0, 0.0] for w in ("r0", "r1", "r2")}
    assert measure("direct-bias", WordVectors.of(axes), small_concept()).value == pytest.approx(1)
    axes |= {w: [0.0, 2.0, 0.5] for w in ("n0", "n1", "n2", "n3")}
    assert measure("direct-bias", WordVectors.of(axes), small_concept()).value == 0


def test_it_does_not_change_when_the_space_is_turned_or_scaled() -> None:
    vectors = random_space(5)
    turn, _ = np.linalg.qr(np.random.default_rng(6).normal(size=(7, 7)))
    moved = space(WORDS, vectors.matrix.astype(float) @ turn * 12.5)
    assert measure("direct-bias", moved, small_concept()).value == pytest.approx(
        measure("direct-bias", vectors, small_concept()).value, abs=1e-5
    )


def test_two_dimensions_take_the_length_of_the_projection() -> None:
    vectors = random_space(7)
    toy = small_concept()
    basis = estimate("pair-pca(k=2)", vectors, toy).basis
    rows = vectors.matrix[6:].astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    expected = np.linalg.norm(rows @ basis.T, axis=1).mean()
    result = measure('direct-bias(subspace="pair-pca(k=2)")', vectors, toy)
    assert result.value == pytest.approx(expected)


def test_where_both_sides_coincide_it_is_na_with_the_reason() -> None:
    matrix = np.random.default_rng(0).normal(size=(10, 7))
    matrix[3] = matrix[0]
    result = measure("direct-bias", space(WORDS, matrix), small_concept())
    assert result.value is None
    assert "same vector" in result.why_undefined


def test_removing_the_direction_from_all_neutral_words_brings_it_to_0(glove: WordVectors) -> None:
    gender = concept("gender")
    before = measure("direct-bias", glove, gender).value
    subspace = estimate(None, glove, gender)
    keep = glove.words.rows_of(["she", "he"])
    matrix = subspace.project_out(glove.matrix)
    matrix[keep] = glove.matrix[keep]
    projected = WordVectors(glove.words, matrix, glove.lineage)
    after = measure("direct-bias", projected, gender, baseline=glove).value
    assert before is not None
    assert before > 0.05
    assert after == pytest.approx(0, abs=1e-6)


def test_nurse_leans_to_female_and_coach_to_male(glove: WordVectors) -> None:
    result = measure("direct-bias", glove, concept("gender"))
    lean = {point["word"]: point["projection"] for point in result.points}
    assert lean["nurse"] > 0.2  # type: ignore[operator]
    assert lean["coach"] < -0.2  # type: ignore[operator]
    assert result.details["positive-side"] == "female"


def test_a_wrong_exponent_or_a_concept_without_neutral_words_is_one_sentence(
    glove: WordVectors,
) -> None:
    with pytest.raises(UnslantError, match='"c" parameter of direct-bias must be greater than 0'):
        measure("direct-bias(c=0)", glove, concept("gender"))
    with pytest.raises(UndefinedMeasureError, match="no neutral words"):
        measure("direct-bias", glove, concept("caliskan"))
    with pytest.raises(UnslantError, match="not one of its tests"):
        measure("direct-bias", glove, concept("gender").test("career-family"))


def test_before_and_after_are_measured_along_the_direction_of_before() -> None:
    before = random_space(1)
    noise = np.random.default_rng(2).normal(size=before.matrix.shape)
    after = space(WORDS, before.matrix + 0.3 * noise)
    g = before["l0"].astype(float) - before["r0"].astype(float)
    g /= np.linalg.norm(g)
    units = [after[w].astype(float) / np.linalg.norm(after[w]) for w in ("n0", "n1", "n2", "n3")]
    result = measure("direct-bias", after, small_concept(), baseline=before)
    assert result.value == pytest.approx(np.mean([abs(u @ g) for u in units]), rel=1e-6)
    refitted = measure("direct-bias(of=refitted)", after, small_concept(), baseline=before)
    assert refitted.value == measure("direct-bias", after, small_concept()).value != result.value
    assert "re-estimated after debiasing" in refitted.title


@pytest.mark.parametrize("dim", [7, 9])
def test_a_baseline_that_is_another_space_is_named_and_its_direction_not_used(dim: int) -> None:
    other = space(WORDS, np.random.default_rng(0).normal(size=(10, dim)))
    alone = measure("direct-bias", random_space(1), small_concept())
    result = measure("direct-bias", random_space(1), small_concept(), baseline=other)
    assert result.value == alone.value
    assert "is not the original of these vectors" in result.warnings[-1]
    assert not any("is not the original of these vectors" in warning for warning in alone.warnings)
    with pytest.raises(UnslantError, match="baseline"):
        measure("direct-bias(of=other)", random_space(1), small_concept())


def test_all_ordinary_words_can_stand_for_the_neutral_ones(glove: WordVectors) -> None:
    gender = concept("gender")
    result = measure("direct-bias(neutral=most-frequent, vocabulary=2000)", glove, gender)
    chosen = frequent_words(glove, glove, gender, 2000)
    g = glove["she"].astype(float) - glove["he"].astype(float)
    g /= np.linalg.norm(g)
    matrix = glove.matrix[chosen.rows].astype(float)
    sizes = np.abs(matrix @ g) / np.linalg.norm(matrix, axis=1)
    assert result.value == pytest.approx(sizes.mean(), rel=1e-6)
    assert result.details["words-of-the-vocabulary"] == len(chosen) == len(result.points)
