"""Linear algebra at the edges: tiny, huge and nearly parallel vectors."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.tallies import Tally
from unslant.numerics.linalg import (
    principal_axes,
    projected_out,
    safe_angle,
    safe_cosine,
    safe_norm,
    unit,
    with_fixed_signs,
)

scales = st.floats(-30, 30).map(lambda power: 10.0**power)
vectors = arrays(np.float64, 5, elements=st.floats(-1, 1)).filter(lambda v: np.abs(v).max() > 1e-3)


@settings(max_examples=300)
@given(vectors, vectors, scales, scales)
def test_cosine_and_angle_do_not_depend_on_length(
    a: np.ndarray, b: np.ndarray, s: float, t: float
) -> None:
    with np.errstate(all="raise", under="ignore"):
        cosine, angle = safe_cosine(a * s, b * t), safe_angle(a * s, b * t)
    assert -1 <= cosine <= 1
    assert cosine == pytest.approx(safe_cosine(a, b), abs=1e-9)
    assert math.cos(angle) == pytest.approx(cosine, abs=1e-9)


@pytest.mark.full
def test_no_function_gives_nan_or_a_warning_from_1e_30_to_1e30(tally: Tally) -> None:
    seen = 0

    @settings(max_examples=2_000, deadline=None)
    @given(vectors, vectors, scales, scales)
    def every(a: np.ndarray, b: np.ndarray, s: float, t: float) -> None:
        nonlocal seen
        seen += 1
        with np.errstate(all="raise", under="ignore"):
            _, values = principal_axes(np.stack([a * s, b * t]))
            found = [safe_cosine(a * s, b * t), safe_angle(a * s, b * t), safe_norm(a * s)]
            found += [*unit(a * s), *values]
        assert np.isfinite(found).all()
        assert safe_cosine(a * s, b * t) == pytest.approx(safe_cosine(a, b), abs=1e-9)

    every()
    tally(seen)


def test_a_tiny_angle_is_not_lost_in_rounding() -> None:
    a, b = np.array([1.0, 0.0]), np.array([1.0, 1e-9])
    assert safe_angle(a, b) == pytest.approx(1e-9, rel=1e-6)
    assert safe_angle(a, -b) == pytest.approx(math.pi - 1e-9, rel=1e-12)


@given(vectors, scales)
def test_a_unit_vector_has_length_1(vector: np.ndarray, scale: float) -> None:
    assert safe_norm(unit(vector * scale)) == pytest.approx(1.0, abs=1e-12)


def test_the_zero_vector_has_no_direction() -> None:
    with pytest.raises(ValueError, match="no direction"):
        unit(np.zeros(3))
    assert safe_norm(np.zeros(3)) == 0.0


def test_axes_have_a_fixed_sign_and_explain_the_rows() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20, 4)) * [9, 3, 1, 0.1]
    axes, values = principal_axes(rows)
    assert np.allclose(axes @ axes.T, np.eye(4))
    assert np.allclose(np.linalg.norm(rows @ axes.T, axis=0), values)
    assert np.array_equal(with_fixed_signs(-axes), axes)


def test_projection_removes_the_subspace_and_is_idempotent() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(50, 8)).astype(np.float32)
    basis, _ = principal_axes(rng.normal(size=(2, 8)))
    once = projected_out(rows, basis)
    assert np.abs(once @ basis.T).max() < 1e-5
    assert np.allclose(projected_out(once, basis), once, atol=1e-6)
    assert once.dtype == np.float32
