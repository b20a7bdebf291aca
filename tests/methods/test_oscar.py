"""OSCaR: the two directions end at a right angle, whichever way they pointed."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import wide_space
from unslant.concepts import concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import DegenerateSubspaceError, ExpressionError
from unslant.erasers import EachVector, Eraser, GradedRotation
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.numerics.linalg import safe_cosine
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors, load

WORDS = ["l0", "r0", "l1", "r1", "n0", "n1", "n2", "n3"]


def rotation(eraser: Eraser) -> GradedRotation:
    [step] = eraser.steps
    assert isinstance(step, EachVector)
    assert isinstance(step.transform, GradedRotation)
    return step.transform


def planted(degrees: float, length: float = 1.0) -> WordVectors:
    """A space where l0 − r0 and l1 − r1 are at an angle."""
    angle = np.radians(degrees)
    v1, v2 = np.array([1.0, 0, 0]), np.array([np.cos(angle), np.sin(angle), 0])
    rest = np.random.default_rng(0).normal(size=(4, 3))
    return space(WORDS, length * np.vstack([v1, -v1, v2, -v2, rest]))


@pytest.mark.parametrize("degrees", range(5, 180, 10))
@pytest.mark.parametrize("length", [1e-20, 1.0, 1e20])
def test_pairs_at_any_angle_end_at_a_right_angle(degrees: int, length: float) -> None:
    vectors = planted(degrees, length)
    method = 'oscar(subspace="pair-difference(l0, r0)", against="pair-difference(l1, r1)")'
    eraser = fit(method, vectors, small_concept())
    after = debiased(vectors, eraser)
    first = (after["l0"] - after["r0"]).astype(np.float64)
    second = (after["l1"] - after["r1"]).astype(np.float64)
    assert abs(safe_cosine(first, second)) < 1e-6
    assert safe_cosine(first, np.array([1.0, 0, 0])) == pytest.approx(1, abs=1e-6)
    asked = eraser.stages[0].details["angle-before,-degrees"]
    assert asked == pytest.approx(min(degrees, 180 - degrees), abs=1e-4)


def test_occupations_of_real_vectors_are_turned_off_the_direction() -> None:
    vectors, gender = load(), concept("gender")
    eraser = fit("oscar", vectors, gender)
    after = debiased(vectors, eraser)
    v1 = estimate(None, vectors, gender).basis[0]
    v2 = estimate("set-pca(occupations)", vectors, gender).basis[0]
    assert abs(v1 @ v2) > 0.1
    kept, turned = eraser.apply(np.stack([v1, v2]))
    np.testing.assert_allclose(kept, v1, atol=1e-9)
    assert abs(kept @ turned) < 1e-9
    np.testing.assert_allclose(
        np.linalg.norm(after.matrix, axis=1), np.linalg.norm(vectors.matrix, axis=1), rtol=1e-5
    )
    assert eraser.stages[0].details["against"] == "set-pca(occupations, k=1)"


@pytest.mark.parametrize("seed", range(8))
def test_of_several_axes_the_pair_with_the_largest_cosine_is_taken(seed: int) -> None:
    vectors, toy = wide_space(seed), small_concept()
    one, two = "pair-pca(definitional, k=2)", "set-pca(things, k=3)"
    eraser = fit(f'oscar(subspace="{one}", against="{two}")', vectors, toy)
    cosines = np.array(
        [
            [abs(float(a @ b)) for b in estimate(two, vectors, toy).basis]
            for a in estimate(one, vectors, toy).basis
        ]
    )
    made = rotation(eraser)
    assert float(made.kept @ made.turned) == pytest.approx(cosines.max(), abs=1e-12)


def test_directions_at_a_right_angle_are_left_and_it_says_so() -> None:
    vectors = planted(90)
    method = 'oscar(subspace="pair-difference(l0, r0)", against="pair-difference(l1, r1)")'
    eraser = fit(method, vectors, small_concept())
    assert any("already orthogonal" in warning for warning in eraser.stages[0].warnings)
    np.testing.assert_allclose(debiased(vectors, eraser).matrix, vectors.matrix, atol=1e-7)


def test_the_same_direction_twice_is_refused() -> None:
    with pytest.raises(DegenerateSubspaceError, match="oscar cannot separate"):
        fit('oscar(against="pair-difference(r0, l0)")', planted(40), small_concept())


def test_a_concept_without_neutral_words_is_refused_with_a_way_out() -> None:
    bare = parse_concept(
        'name = "bare"\ntitle = "Bare"\ngroups = ["left", "right"]\n'
        'direction = "pair-difference(l0, r0)"\n'
        '[words]\nleft = ["l0"]\nright = ["r0"]\n',
        "bare.toml",
    )
    with pytest.raises(ExpressionError, match=r"oscar.*against"):
        fit("oscar", planted(40), bare)
