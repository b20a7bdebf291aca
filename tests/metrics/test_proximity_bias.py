"""Proximity bias: a slow second implementation, baselines, and real vectors."""

import numpy as np
import pytest

from tests.spaces import small_concept
from tests.wide import (
    THINGS,
    letter_words,
    moved,
    wide_space,
    without_direction,
    without_sides,
)
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import UndefinedMeasureError
from unslant.measures.running import measure
from unslant.vectors import WordVectors

TOY = small_concept()


def slow_shares(
    after: WordVectors, before: WordVectors, words: list[str], others: list[str], n: int, t: float
) -> dict[str, float]:
    """η of each word: neighbours by sorting cosines in one space, β by projection in the other."""

    def unit(vectors: WordVectors, word: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        row = vectors[word].astype(float)
        return np.asarray(row / np.linalg.norm(row))

    g = before["l0"].astype(float) - before["r0"].astype(float)
    g /= np.linalg.norm(g)
    found = {}
    for word in words:
        rest = [other for other in others if other != word]
        rest.sort(key=lambda other: -float(unit(after, word) @ unit(after, other)))
        w, biased = unit(before, word), 0
        for other in rest[:n]:
            v = unit(before, other)
            a, b = w - (w @ g) * g, v - (v @ g) * g
            share = 1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b)) / (w @ v)
            biased += share > t
        found[word] = biased / min(n, len(rest))
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [5, 20])
def test_it_equals_the_definition_written_out(seed: int, n: int) -> None:
    after, before = wide_space(seed, 60, dim=5), wide_space(seed + 50, 60, dim=5)
    expected = slow_shares(after, before, THINGS, [*letter_words(60), *THINGS], n, 0.03)
    result = measure(f"proximity-bias(n={n})", after, TOY, baseline=before)
    assert {p["word"]: p["proximity-bias"] for p in result.points} == pytest.approx(expected)
    assert result.value == pytest.approx(np.mean(list(expected.values())))


def test_without_a_baseline_the_vectors_are_their_own() -> None:
    vectors = wide_space(3, 60, dim=5)
    alone = measure("proximity-bias(n=10)", vectors, TOY)
    beside = measure("proximity-bias(n=10)", vectors, TOY, baseline=wide_space(3, 60, dim=5))
    assert alone.points == beside.points


def test_it_does_not_change_when_the_spaces_are_turned_or_scaled() -> None:
    vectors = wide_space(4, 80, dim=5)
    one = measure("proximity-bias(n=10)", vectors, TOY)
    other = measure("proximity-bias(n=10)", moved(vectors, 5, 7.0), TOY)
    assert one.value == pytest.approx(other.value)


def test_a_small_vocabulary_gives_fewer_neighbours_and_a_warning() -> None:
    result = measure("proximity-bias", wide_space(0, 30), TOY)
    assert result.details["neighbours"] == 33
    assert "only 33 words can be neighbours; 100 were requested" in result.warnings


def test_missing_and_degenerate_inputs_say_so() -> None:
    vectors = wide_space(0, 30)
    fewer = vectors.only([word for word in vectors.words if word != "n1"])
    policy = WordPolicy(missing="drop")
    result = measure("proximity-bias(n=5)", vectors, TOY, policy, baseline=fewer)
    assert result.words[0].missing == ("n1",)
    assert len(result.points) == 3
    nothing = measure("proximity-bias", vectors, TOY, baseline=without_sides(vectors))
    assert "same vector" in nothing.why_undefined
    with pytest.raises(UndefinedMeasureError, match="no neutral words"):
        measure("proximity-bias", vectors, concept("caliskan"))


def test_removing_the_direction_lowers_it_on_real_vectors(glove: WordVectors) -> None:
    gender, policy = concept("gender"), WordPolicy(missing="drop")
    expression = "proximity-bias(neutral=professions, vocabulary=10000)"
    before = measure(expression, glove, gender, policy)
    after = measure(expression, without_direction(glove, gender), gender, policy, baseline=glove)
    assert before.value is not None
    assert after.value is not None
    assert before.interval is not None
    assert 0.05 < before.interval.low < before.value < before.interval.high < 0.3
    assert after.value < 0.8 * before.value
    shares = {p["word"]: float(p["proximity-bias"]) for p in before.points}
    assert shares["nurse"] > 0.1 > shares["chemist"]
