"""Adversarial debiasing on analogies, made-up and real."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.spaces import small_concept, space
from tests.wide import letter_words, wide_space
from unslant.concepts import concept
from unslant.core.errors import ExpressionError, UndefinedMeasureError, UnknownNameError
from unslant.erasers import EachVector, Eraser, LowRank
from unslant.methods.pipeline import fit
from unslant.vectors import WordVectors

FAST = "learning_rate=0.00025, steps=15000"


def echoes(folder: Path, count: int = 4000) -> Path:
    """Analogies that answer c itself: x : x :: c : c, so that v = d = c."""
    lines = [f"l0 l0 {word} {word}" for word in letter_words(count)]
    path = folder / "analogies.txt"
    path.write_text("\n".join([": echoes", *lines]))
    return path


def matrix_of(eraser: Eraser) -> NDArray[np.float64]:
    [step] = eraser.steps
    assert isinstance(step, EachVector)
    assert isinstance(step.transform, LowRank)
    return step.transform.read.T


def test_in_a_space_that_spreads_evenly_it_finds_the_direction(tmp_path: Path) -> None:
    vectors = wide_space(seed=1, count=4000)
    eraser = fit(f'adversarial("{echoes(tmp_path)}", {FAST})', vectors, small_concept())
    W = matrix_of(eraser)
    direction = vectors["l0"].astype(np.float64) - vectors["r0"]
    cosine = abs(W[:, 0] @ direction) / np.linalg.norm(W) / np.linalg.norm(direction)
    assert cosine > 0.98
    assert np.linalg.norm(W) == pytest.approx(1, abs=0.15)
    details = eraser.stages[0].details
    assert details["cosine-of-W-with-the-direction"] == pytest.approx(cosine, abs=1e-6)
    assert details["analogies"] == 4000


def test_in_a_space_that_does_not_it_finds_what_gives_the_direction_away(tmp_path: Path) -> None:
    vectors = wide_space(seed=3, count=4000)
    matrix = vectors.matrix.astype(np.float64)
    matrix[10:, 1] += 2 * matrix[10:, 0]
    tilted = space(list(vectors.words), matrix)
    eraser = fit(f'adversarial("{echoes(tmp_path)}", {FAST})', tilted, small_concept())
    words = matrix[10:] / np.linalg.norm(matrix[10:], axis=1, keepdims=True)
    direction = matrix[0] - matrix[3]
    giveaway = words.T @ (words @ direction)
    W = matrix_of(eraser)[:, 0]
    assert abs(W @ giveaway) / np.linalg.norm(W) / np.linalg.norm(giveaway) > 0.95
    assert eraser.stages[0].details["cosine-of-W-with-the-direction"] < 0.7  # type: ignore[operator]
    assert "has a cosine of only" in eraser.stages[0].warnings[0]


def test_the_size_of_the_vectors_does_not_matter(tmp_path: Path) -> None:
    vectors = wide_space(seed=4, count=500)
    larger = space(list(vectors.words), 64 * vectors.matrix)
    expression = f'adversarial("{echoes(tmp_path, 500)}", learning_rate=0.001, steps=300)'
    one, other = (fit(expression, space, small_concept()) for space in (vectors, larger))
    np.testing.assert_allclose(matrix_of(one), matrix_of(other), atol=1e-12)


def test_a_seed_gives_the_same_and_another_seed_another_start(tmp_path: Path) -> None:
    path, vectors = echoes(tmp_path, 500), wide_space(seed=4, count=500)
    made = [
        matrix_of(fit(f'adversarial("{path}", steps=5, seed={seed})', vectors, small_concept()))
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(made[0], made[1])
    assert not np.allclose(made[0], made[2])


def test_analogies_with_a_zero_vector_are_left_out_and_counted(tmp_path: Path) -> None:
    vectors = wide_space(seed=5, count=100)
    matrix = vectors.matrix.copy()
    matrix[10:13] = 0
    holed = space(list(vectors.words), matrix)
    expression = f'adversarial("{echoes(tmp_path, 120)}", steps=5)'
    stage = fit(expression, holed, small_concept()).stages[0]
    assert stage.details["analogies"] == 97
    assert stage.details["analogies-with-a-zero-vector"] == 3
    [use] = [use for use in stage.words if use.set == "analogies"]
    assert use.missing == tuple(letter_words(120)[100:])


def test_several_directions_are_learned_together(tmp_path: Path) -> None:
    vectors = wide_space(seed=6, count=1000)
    expression = f'adversarial("{echoes(tmp_path, 1000)}", "random(k=2)", {FAST})'
    stage = fit(expression, vectors, small_concept()).stages[0]
    assert stage.details["cosine-of-W-with-the-direction"] > 0.9  # type: ignore[operator]


def test_too_few_analogies_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UndefinedMeasureError, match="adversarial needs at least 20 analogies"):
        fit(f'adversarial("{echoes(tmp_path, 9)}")', wide_space(seed=1), small_concept())


def test_unknown_analogies_and_senseless_numbers_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="gogle"):
        fit("adversarial(gogle)", wide_space(seed=1), small_concept())
    with pytest.raises(ExpressionError, match="steps"):
        fit("adversarial(steps=0)", wide_space(seed=1), small_concept())
    with pytest.raises(ExpressionError, match="alpha"):
        fit("adversarial(alpha=-1.0)", wide_space(seed=1), small_concept())


def test_on_real_analogies_the_game_comes_to_rest(glove: WordVectors, data: Path) -> None:
    calls: list[tuple[str, int, int]] = []
    eraser = fit(
        "adversarial",
        glove,
        concept("gender"),
        progress=lambda what, done, total: calls.append((what, done, total)),
    )
    details = eraser.stages[0].details
    assert details["analogies"] == 16_280
    assert details["length-of-W"] == pytest.approx(1, abs=0.01)
    assert details["cosine-of-W-with-the-mean-of-v-z"] == pytest.approx(1, abs=0.01)
    assert details["error-of-the-adversary-after"] == pytest.approx(
        details["error-of-the-adversary-by-guessing-0"], rel=0.05
    )
    assert calls
    assert calls[-1][2] == 30_000
