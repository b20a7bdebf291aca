"""R-LACE: finds the one direction where there is one, and says where there are more."""

import numpy as np
import pytest

from tests.spaces import small_concept
from tests.wide import wide_space
from unslant.concepts import concept
from unslant.core.errors import ExpressionError
from unslant.methods.pipeline import fit
from unslant.vectors import load


@pytest.mark.parametrize("seed", range(3))
def test_an_attribute_of_one_direction_is_found_and_gone(seed: int) -> None:
    vectors = wide_space(seed, 4000, dim=10, lean=1.5)
    stage = fit(f"rlace(iterations=3000, seed={seed})", vectors, small_concept()).stages[0]
    assert stage.removed is not None
    assert stage.removed.shape == (1, 10)
    assert abs(stage.removed[0, 0]) > 0.95
    assert float(str(stage.details["accuracy-on-held-out-words-before"])) > 0.95
    assert abs(float(str(stage.details["accuracy-on-held-out-words-after"])) - 0.5) < 0.1


def test_the_rank_asked_for_is_the_rank_removed() -> None:
    vectors = wide_space(0, 4000, dim=10, lean=1.5)
    eraser = fit("rlace(rank=3, iterations=100)", vectors, small_concept())
    assert eraser.affine is not None
    assert np.linalg.matrix_rank(eraser.affine[0], tol=1e-9) == 7


def test_one_direction_of_real_vectors_brings_held_out_words_near_chance() -> None:
    stage = fit("rlace(iterations=1500)", load(), concept("gender")).stages[0]
    assert float(str(stage.details["accuracy-on-held-out-words-before"])) > 0.99
    assert float(str(stage.details["accuracy-on-held-out-words-after"])) < 0.55


def test_many_groups_work_and_too_small_a_rank_is_told() -> None:
    stage = fit("rlace(iterations=500)", load(), concept("religion")).stages[0]
    assert "still has an accuracy of" in stage.warnings[-1]
    assert stage.details["chance"] == pytest.approx(1 / 3, abs=1e-9)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("rlace(rank=0)", "at least 1"),
        ("rlace(rank=10)", "between 1 and 9"),
        ("rlace(batch=0)", "at least 1"),
        ("rlace(learning_rate=-1)", "greater than 0"),
        ("rlace(on=words)", "10 words for each group"),
    ],
)
def test_what_it_cannot_do_is_refused(wrong: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        fit(wrong, wide_space(0, 400, dim=10), small_concept())
