"""SemBias: a slow second implementation, its interval, missing rows and published values."""

import numpy as np
import pytest

from unslant.concepts import WordPolicy, concept, wordlist
from unslant.core.errors import MissingWordsError, UndefinedMeasureError
from unslant.measures.running import measure
from unslant.methods.pipeline import debias
from unslant.vectors import WordVectors

GENDER = concept("gender")
QUESTIONS = [[str(cell).split(":") for cell in row] for row in wordlist("zhao-2018/sembias").rows]
WORDS = list(dict.fromkeys(word for row in QUESTIONS for pair in row for word in pair))


def random_space(seed: int, shared: float = 0.0) -> WordVectors:
    """Random vectors; ``shared`` adds he − she to the first word of every definition pair."""
    rng = np.random.default_rng(seed)
    vectors = {word: rng.normal(size=6) for word in [*WORDS, "he", "she"]}
    for row in QUESTIONS:
        first, second = row[0]
        vectors[first] = vectors[second] + shared * (vectors["he"] - vectors["she"]) + 0.1
    return WordVectors.of({word: row.tolist() for word, row in vectors.items()})


def slow(vectors: WordVectors, unit_length: bool = False) -> list[int]:
    """The choice in every question, pair by pair."""

    def vector(word: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        row = vectors[word].astype(float)
        return np.asarray(row / np.linalg.norm(row)) if unit_length else row

    v = vector("he") - vector("she")
    choices = []
    for row in QUESTIONS:
        if all(word in vectors for pair in row for word in pair):
            gaps = [vector(a) - vector(b) for a, b in row]
            cosines = [float(v @ gap / np.linalg.norm(gap)) for gap in gaps]
            choices.append(cosines.index(max(cosines)))
    return choices


@pytest.mark.parametrize("unit_length", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_it_equals_the_definition_written_out(seed: int, unit_length: bool) -> None:
    vectors = random_space(seed)
    choices = slow(vectors, unit_length)
    result = measure(f"sembias(unit_length={str(unit_length).lower()})", vectors, GENDER)
    assert result.value == pytest.approx(choices.count(0) / 440)
    assert result.details["stereotype"] == pytest.approx(choices.count(3) / 440)
    assert result.details["none"] == pytest.approx((choices.count(1) + choices.count(2)) / 440)
    assert result.details["held-out-definition"] == pytest.approx(choices[-40:].count(0) / 40)
    kinds = ["definition", "none", "none", "stereotype"]
    assert [p["chosen"] for p in result.points] == [kinds[choice] for choice in choices]


def test_definition_pairs_that_are_the_direction_are_always_chosen() -> None:
    result = measure("sembias", random_space(0, shared=50.0), GENDER)
    assert result.value == 1.0


def test_swapping_he_and_she_chooses_the_pair_that_points_the_other_way() -> None:
    assert measure("sembias(she, he)", random_space(0, shared=50.0), GENDER).value == 0.0


def test_turning_and_scaling_change_nothing() -> None:
    vectors = random_space(1)
    turn, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(6, 6)))
    rows = (vectors.matrix.astype(float) @ turn * 3.5).tolist()
    turned = WordVectors.of(dict(zip(vectors.words, rows, strict=True)))
    assert (
        measure("sembias", turned, GENDER).points[0]["chosen"]
        == (measure("sembias", vectors, GENDER).points[0]["chosen"])
    )
    assert measure("sembias", turned, GENDER).value == measure("sembias", vectors, GENDER).value


def test_rows_with_missing_words_are_skipped_counted_and_listed() -> None:
    vectors = random_space(3)
    fewer = vectors.only([word for word in vectors.words if word != "nun"])
    result = measure("sembias", fewer, GENDER, WordPolicy(missing="drop"))
    lost = sum(any("nun" in pair for pair in row) for row in QUESTIONS)
    assert lost > 0
    assert result.details["questions-with-a-missing-word"] == lost
    assert result.details["questions"] == 440 - lost
    assert result.words[0].missing == ("nun",)
    assert result.value == pytest.approx(slow(fewer).count(0) / (440 - lost))
    with pytest.raises(MissingWordsError, match='"nun"'):
        measure("sembias", fewer, GENDER)


def test_he_equal_to_she_or_no_question_left_is_na_with_the_reason() -> None:
    vectors = random_space(4)
    rows = {word: vectors[word].tolist() for word in vectors.words}
    same = WordVectors.of({**rows, "he": rows["she"]})
    assert "same vector" in measure("sembias", same, GENDER).why_undefined
    few = vectors.only(["he", "she", "doctor"])
    result = measure("sembias", few, GENDER, WordPolicy(missing="drop"))
    assert "none of the 440 questions" in result.why_undefined


def test_a_pair_of_equal_vectors_points_nowhere_and_its_questions_are_left_out() -> None:
    vectors = random_space(5)
    rows = {word: vectors[word].tolist() for word in vectors.words}
    result = measure("sembias", WordVectors.of({**rows, "nun": rows["priest"]}), GENDER)
    assert result.details["questions-with-a-pair-of-equal-vectors"] == 20
    assert result.details["questions"] == 420


def test_it_is_about_gender_and_says_so(glove: WordVectors) -> None:
    with pytest.raises(UndefinedMeasureError, match='"race" does not contain "he" and "she"'):
        measure("sembias", glove, concept("race"))


def test_real_vectors_choose_the_definition_in_about_four_of_five(glove: WordVectors) -> None:
    result = measure("sembias", glove, GENDER)
    choices = slow(glove)
    assert result.value == pytest.approx(choices.count(0) / 440)
    assert 0.7 < choices.count(0) / 440 < 0.9  # published for GloVe 300d: 0.802
    assert result.interval is not None
    assert result.value is not None
    assert result.interval.low < result.value < result.interval.high
    assert result.interval.high - result.interval.low > 0.15  # 22 and 20 pairs, not 440


def test_rounding_does_not_decide_questions_that_debiasing_left_open(glove: WordVectors) -> None:
    gender = concept("gender")
    fair = debias("hard", glove, gender)
    first = measure("sembias", fair, gender)
    assert int(str(first.details["questions-that-rounding-would-decide"])) > 10
    for seed in range(3):
        noise = 1 + 1e-7 * np.random.default_rng(seed).standard_normal(fair.matrix.shape)
        shaken = WordVectors(fair.words, (fair.matrix * noise).astype(np.float32), fair.lineage)
        again = measure("sembias", shaken, gender)
        assert again.value == first.value
        assert again.details["stereotype"] == first.details["stereotype"]
