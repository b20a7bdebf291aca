"""How far words moved: by hand, and against a plain computation."""

import numpy as np
import pytest

from tests.spaces import space
from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.methods.movement import movement
from unslant.methods.pipeline import debias
from unslant.vectors import load

WORDS = ["same", "longer", "turned", "zero"]


def test_by_hand() -> None:
    before = space(WORDS, np.array([[1.0, 0], [1, 0], [1, 0], [0, 0]]))
    after = space(WORDS, np.array([[1.0, 0], [2, 0], [0, 3], [0, 0]]))
    moved = movement(before, after)
    assert (moved.share_changed, moved.share_turned) == (0.5, 0.25)
    assert moved.most_degrees == pytest.approx(90)
    assert moved.mean_degrees == pytest.approx(30), "of the three words that have a direction"
    assert moved.mean_length_ratio == pytest.approx(2)
    assert [item.word for item in moved.moved_most] == ["turned"]


def test_nothing_moves_when_nothing_is_done() -> None:
    vectors = load(limit=500)
    moved = movement(vectors, vectors)
    assert (moved.share_changed, moved.most_degrees, moved.moved_most) == (0, 0, ())


def test_dropped_components_count_as_zero() -> None:
    before = space(WORDS[:2], np.array([[1.0, 1], [1, 0]]))
    after = space(WORDS[:2], np.array([[1.0], [1]]))
    moved = movement(before, after)
    assert moved.most_degrees == pytest.approx(45)
    assert moved.share_changed == 0.5


def test_other_words_do_not_compare() -> None:
    with pytest.raises(UnslantError, match="same words"):
        movement(space(["a", "b"], np.eye(2)), space(["b", "a"], np.eye(2)))


def test_real_vectors_agree_with_a_plain_computation() -> None:
    vectors = load(limit=2000)
    after = debias("linear", vectors, concept("gender"))
    moved = movement(vectors, after)
    old, new = vectors.matrix.astype(float), after.matrix.astype(float)
    angles = [
        np.degrees(np.arccos(min(1, a @ b / np.linalg.norm(a) / np.linalg.norm(b))))
        for a, b in zip(old, new, strict=True)
    ]
    assert moved.mean_degrees == pytest.approx(np.mean(angles), rel=1e-9)
    assert moved.most_degrees == pytest.approx(np.max(angles), rel=1e-9)
    assert moved.moved_most[0].word == vectors.words[int(np.argmax(angles))]
    assert moved.mean_length_ratio is not None
    assert moved.mean_length_ratio < 1
