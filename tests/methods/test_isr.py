"""ISR: the contrasts of the test's own words become orthogonal, step by step."""

from itertools import pairwise

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import wide_space
from unslant.concepts import concept
from unslant.core.errors import DegenerateSubspaceError, ExpressionError
from unslant.core.types import Array
from unslant.methods.isr import effect_size
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load


def contrast(vectors: WordVectors, first: list[str], second: list[str]) -> Array:
    rows = [np.mean([vectors[w].astype(float) for w in side], axis=0) for side in (first, second)]
    return np.asarray((rows[0] - rows[1]) / np.linalg.norm(rows[0] - rows[1]))


def plainly(matrix: Array, x: Array, y: Array, a: Array, b: Array, *, rounds: int) -> Array:
    """All rows through the definition: row numbers of the sets, complex numbers for the plane."""
    rows = matrix.copy()
    for _ in range(rounds):
        v1 = rows[x].mean(0) - rows[y].mean(0)
        v1 /= np.linalg.norm(v1)
        mean_a, mean_b = rows[a].mean(0), rows[b].mean(0)
        v2 = (mean_a - mean_b) / np.linalg.norm(mean_a - mean_b)
        if v1 @ v2 < 0:
            v2 = -v2
        angle = np.arccos(v1 @ v2)
        prime = v2 - (v1 @ v2) * v1
        prime /= np.linalg.norm(prime)
        middle = mean_a / np.linalg.norm(mean_a) / 2 + mean_b / np.linalg.norm(mean_b) / 2
        for row in rows:
            here = complex((row - middle) @ v1, (row - middle) @ prime)
            line = np.angle(here) % np.pi
            share = line / angle if line < angle else (np.pi - line) / (np.pi - angle)
            there = here * np.exp(1j * (np.pi / 2 - angle) * share)
            row += (there - here).real * v1 + (there - here).imag * prime
    return rows


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_it_equals_a_plain_loop_over_the_words(seed: int, rounds: int) -> None:
    vectors = wide_space(seed, count=40)
    after = debiased(vectors, fit(f"isr(iterations={rounds})", vectors, small_concept()))
    row = {word: number for number, word in enumerate(vectors.words)}
    sets = [["n0", "n1"], ["n2", "n3"], ["l0", "l1"], ["r0", "r1"]]
    places = [np.array([row[word] for word in words]) for words in sets]
    expected = plainly(vectors.matrix.astype(np.float64), *places, rounds=rounds)
    np.testing.assert_allclose(after.matrix, expected, atol=1e-5)


@pytest.mark.parametrize("subject", ["gender", "race", "religion", "age"])
def test_each_iteration_brings_the_contrasts_nearer_to_a_right_angle(subject: str) -> None:
    vectors, about = load(), concept(subject)
    eraser = fit("isr", vectors, about)
    details = eraser.stages[0].details
    path = [float(value) for value in str(details["|v1·v2|-by-iteration"]).split(", ")]
    assert len(path) == 11
    assert all(later < earlier for earlier, later in pairwise(path))
    assert path[-1] < 1e-3
    before, after = details["effect-size-before"], details["effect-size-after"]
    assert isinstance(before, float)
    assert isinstance(after, float)
    assert abs(after) < abs(before) / 2


def test_what_it_says_is_what_the_words_show_afterwards() -> None:
    vectors, gender = load(), concept("gender")
    eraser = fit('isr(test="math-arts")', vectors, gender)
    after, stage = debiased(vectors, eraser), eraser.stages[0]
    x, y, a, b = (list(use.spelt or use.used) for use in stage.words)
    for space_, when in ((vectors, "before"), (after, "after")):
        cosine = abs(contrast(space_, x, y) @ contrast(space_, a, b))
        assert cosine == pytest.approx(stage.details[f"|v1·v2|-{when}"], abs=1e-6)
        sets = [np.array([space_[w] for w in s], dtype=np.float64) for s in (x, y, a, b)]
        assert effect_size(*sets) == pytest.approx(stage.details[f"effect-size-{when}"], abs=1e-5)
    assert stage.details["test"] == "gender/math-arts"


def test_both_contrasts_are_kept_not_removed() -> None:
    vectors, gender = load(), concept("gender")
    eraser = fit("isr", vectors, gender)
    after = debiased(vectors, eraser)
    x, y, a, b = (list(use.spelt or use.used) for use in eraser.stages[0].words)
    for one, two in ((x, y), (a, b)):
        lengths = [
            np.linalg.norm(
                np.mean([s[w].astype(float) for w in one], axis=0)
                - np.mean([s[w].astype(float) for w in two], axis=0)
            )
            for s in (vectors, after)
        ]
        assert lengths[1] > 0.7 * lengths[0]


def test_contrasts_that_are_one_direction_are_refused() -> None:
    rows = np.random.default_rng(0).normal(size=(4, 3))
    vectors = space(["n0", "n2", "l0", "r0"], np.vstack([rows[:2], rows[:2] + rows[2]]))
    with pytest.raises(DegenerateSubspaceError, match="isr cannot separate"):
        fit("isr", vectors, small_concept())


def test_means_that_do_not_differ_are_refused() -> None:
    rows = np.random.default_rng(0).normal(size=(4, 3))
    rows[1] = rows[0]
    with pytest.raises(DegenerateSubspaceError, match="isr finds no direction"):
        fit("isr", space(["n0", "n2", "l0", "r0"], rows), small_concept())


def test_a_concept_without_a_test_and_no_iterations_are_refused() -> None:
    with pytest.raises(ExpressionError, match="isr needs an association test"):
        fit("isr", load(), concept("nationality"))
    with pytest.raises(ExpressionError, match="isr must be at least 1"):
        fit("isr(iterations=0)", load(), concept("gender"))
