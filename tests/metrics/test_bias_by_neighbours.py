"""Bias by neighbours: a slow second implementation, sign, edges and real vectors."""

import numpy as np
import pytest

from tests.metrics.test_gipe import nearest
from tests.spaces import small_concept, space
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


def lean(vectors: WordVectors, word: str) -> float:
    g = vectors["l0"].astype(float) - vectors["r0"].astype(float)
    row = vectors[word].astype(float)
    return float(row @ g / np.linalg.norm(row) / np.linalg.norm(g))


@pytest.mark.parametrize("seed", range(4))
def test_it_equals_the_definition_written_out(seed: int) -> None:
    after, before = wide_space(seed, 80, dim=4), wide_space(seed + 20, 80, dim=4)
    every = [*letter_words(80), *THINGS]
    shares = [
        np.mean([lean(before, other) > 0 for other in nearest(after, word, every, 10)])
        for word in THINGS
    ]
    expected = np.corrcoef([lean(before, word) for word in THINGS], shares)[0, 1]
    result = measure("bias-by-neighbours(n=10)", after, TOY, baseline=before)
    assert result.value == pytest.approx(expected, abs=1e-5)
    assert [p["share-of-neighbours"] for p in result.points] == pytest.approx(shares)


def test_turning_scaling_and_swapping_the_sides_change_nothing() -> None:
    vectors = wide_space(1, 80)
    one = measure("bias-by-neighbours(n=10)", vectors, TOY).value
    turned = measure("bias-by-neighbours(n=10)", moved(vectors, 2, 9.0), TOY).value
    swapped = measure(
        'bias-by-neighbours(n=10, subspace="pair-difference(r0, l0)")', vectors, TOY
    ).value
    assert one == pytest.approx(turned)
    assert one == pytest.approx(swapped)


def test_where_nothing_varies_it_is_na_with_the_reason() -> None:
    matrix = wide_space(0, 30).matrix.copy()
    matrix[6:, 0] = np.abs(matrix[6:, 0]) + 5
    matrix[:6, 1:] = 0
    one_sided = measure("bias-by-neighbours", space(list(wide_space(0, 30).words), matrix), TOY)
    assert one_sided.value is None
    assert "same share of neighbours" in one_sided.why_undefined


def test_degenerate_and_wrong_inputs_say_so() -> None:
    vectors = wide_space(0, 30)
    nothing = measure("bias-by-neighbours", without_sides(vectors), TOY)
    assert "same vector" in nothing.why_undefined
    assert "only 33 words" in measure("bias-by-neighbours", wide_space(2, 30), TOY).warnings[0]
    with pytest.raises(UndefinedMeasureError, match="no neutral words"):
        measure("bias-by-neighbours", vectors, concept("caliskan"))


def test_missing_words_are_dropped_and_listed() -> None:
    vectors = wide_space(0, 60).only([w for w in wide_space(0, 60).words if w != "n3"])
    result = measure("bias-by-neighbours(n=9)", vectors, TOY, WordPolicy(missing="drop"))
    assert result.words[0].missing == ("n3",)
    assert len(result.points) == 3


def test_professions_keep_their_company_on_real_vectors(glove: WordVectors) -> None:
    gender, policy = concept("gender"), WordPolicy(missing="drop")
    before = measure("bias-by-neighbours", glove, gender, policy)
    after = measure(
        "bias-by-neighbours", without_direction(glove, gender), gender, policy, baseline=glove
    )
    assert before.value is not None
    assert after.value is not None
    assert before.interval is not None
    assert before.value > 0.7
    assert 0.5 < after.value <= before.value
    assert before.interval.low < before.value < before.interval.high
    assert before.words[0].set == "professions"
