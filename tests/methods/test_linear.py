"""Linear projection, its control and the names-weighted ones, against plain loops."""

from math import factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.spaces import small_concept, space
from tests.wide import wide_space
from unslant.concepts import concept
from unslant.core.errors import DegenerateSubspaceError, ExpressionError
from unslant.measures.running import measure
from unslant.methods.misp import assignments
from unslant.methods.pipeline import debias, fit
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors, load

GENDER = concept("gender")


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40), st.floats(-20, 20))
def test_a_projected_space_has_no_part_along_the_direction(
    seed: int, dim: int, exponent: float
) -> None:
    rng = np.random.default_rng(seed)
    words = ["l0", "r0", *(f"w{n}" for n in range(30))]
    vectors = space(words, rng.normal(size=(32, dim)) * 10.0**exponent)
    after = debias("linear", vectors, small_concept()).matrix.astype(np.float64)
    g = vectors["l0"].astype(np.float64) - vectors["r0"]
    g /= np.linalg.norm(g)
    scale = np.abs(vectors.matrix).max()
    assert np.abs(after @ g).max() <= 1e-5 * scale
    expected = [w - (w @ g) * g for w in vectors.matrix.astype(np.float64)]
    np.testing.assert_allclose(after, expected, atol=1e-5 * scale)


def test_direct_bias_along_the_old_direction_is_gone_and_its_own_is_undefined(
    glove: WordVectors,
) -> None:
    after = debias("linear", glove, GENDER)
    own = measure("direct-bias", after, GENDER)
    assert own.value is None
    assert "rounding" in own.why_undefined
    old = measure("direct-bias(of=baseline)", after, GENDER, baseline=glove)
    assert old.value is not None
    assert old.value < 1e-6


def test_any_estimator_can_be_named() -> None:
    vectors = load(limit=5000)
    eraser = fit('linear(subspace="pair-pca(definitional, k=3)")', vectors, GENDER)
    assert eraser.stages[0].removed is not None
    assert eraser.stages[0].removed.shape == (3, 100)


def test_she_equal_to_he_is_refused() -> None:
    vectors = space(["l0", "r0", "w"], np.array([[1.0, 2], [1, 2], [0, 1]]))
    with pytest.raises(DegenerateSubspaceError, match="same vector"):
        fit("linear", vectors, small_concept())


def test_misp_weakens_each_axis_by_its_share_and_mhd_removes_it(glove: WordVectors) -> None:
    names = estimate("names(k=4)", glove, GENDER)
    plain = glove.matrix[:500].astype(np.float64)
    expected = plain.copy()
    for g, a in zip(names.basis, names.weights, strict=True):
        expected -= a * np.outer(plain @ g, g)
    after = debias("misp", glove, GENDER).matrix[:500]
    np.testing.assert_allclose(after, expected, atol=2e-6 * np.abs(plain).max())
    removed = debias("mhd", glove, GENDER).matrix[:500] @ names.basis.T
    assert np.abs(removed).max() < 1e-5


def test_misp_with_weights_1_is_mhd(glove: WordVectors) -> None:
    from unslant.methods.misp import weakened

    names = estimate("names(k=4)", glove, GENDER)
    [step] = weakened(names, np.ones(4)).steps
    [same] = fit("mhd", glove, GENDER).steps
    one, other = (each.work(None)(glove.matrix, slice(0), None) for each in (step, same))
    assert np.array_equal(one, other)


def test_every_assignment_of_the_weights_is_another_eraser(glove: WordVectors) -> None:
    orders = assignments(4)
    assert len(orders) == len(set(orders)) == factorial(4)
    made = [fit(f"misp(assignment={order})", glove, GENDER) for order in orders]
    maps = [eraser.affine[0] for eraser in made if eraser.affine is not None]
    matrices = {matrix.tobytes() for matrix in maps}
    assert len(matrices) == 24
    first = fit("misp", glove, GENDER).affine
    assert first is not None
    assert np.array_equal(maps[0], first[0])
    weights = np.array(estimate("names(k=4)", glove, GENDER).weights)
    traces = [100 - np.trace(matrix) for matrix in maps]
    np.testing.assert_allclose(traces, weights.sum(), rtol=1e-9)


def test_a_random_direction_leaves_the_bias_where_it_was() -> None:
    vectors, toy = wide_space(seed=1, count=400, dim=50, lean=2.0), small_concept()
    before = measure("direct-bias", vectors, toy).value
    after = [
        measure("direct-bias", debias(f"random(seed={seed})", vectors, toy), toy).value
        for seed in range(8)
    ]
    assert before is not None
    assert all(value is not None and abs(value - before) < 0.15 for value in after)
    assert len(set(after)) == 8


def test_the_last_component_of_gn_glove_is_dropped_and_nothing_else(tmp_path: Path) -> None:
    """The published files are GloVe text, cased, with gender in the last number."""
    path = tmp_path / "gn-glove.txt"
    path.write_text("The 0.1 -0.2 0.9\nhe 0.3 0.4 1.0\nShe -0.5 0.6 -1.0\n", encoding="utf-8")
    neutral = debias("drop-last", load(path), GENDER)
    np.testing.assert_array_equal(neutral.matrix, load(path).matrix[:, :2])
    assert neutral.name == "gn-glove.drop-last"
    assert neutral["She"].tolist() == pytest.approx([-0.5, 0.6])
    with pytest.raises(ExpressionError, match="between 1 and 2"):
        fit("drop-last(n=3)", load(path), GENDER)
