"""The graded rotation does what its theorem says, and the published slip does not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.types import Array
from unslant.numerics.linalg import graded_rotation, graded_turns, safe_angle, unit

ANGLES = list(range(5, 180, 5))


def pair_at(degrees: float, dim: int, seed: int) -> tuple[Array, Array]:
    """Two random unit vectors at an angle."""
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))
    angle = np.radians(degrees)
    return turn[0], np.cos(angle) * turn[0] + np.sin(angle) * turn[1]


def flipped(v1: Array, v2: Array) -> Array:
    return -v2 if v1 @ v2 < 0 else v2


def by_basis(rows: Array, v1: Array, v2: Array, *, swapped: bool = False) -> Array:
    """The definition word by word: a whole basis, the four cases, one row after another.

    ``swapped`` exchanges the two angles, as the first published program does.
    """
    dim = len(v1)
    basis = [v1, v2 - (v2 @ v1) * v1]
    basis[1] = basis[1] / np.linalg.norm(basis[1])
    for axis in np.eye(dim):
        rest = axis - sum((axis @ b) * b for b in basis)
        rest = rest - sum((rest @ b) * b for b in basis)
        if np.linalg.norm(rest) > 1e-6 and len(basis) < dim:
            basis.append(rest / np.linalg.norm(rest))
    u = np.array(basis)
    theta_p = math.acos(v1 @ v2)
    theta = math.pi / 2 - theta_p
    if swapped:
        theta_p, theta = theta, theta_p
    done = []
    for row in rows:
        x = u @ row
        length = math.hypot(x[0], x[1])
        if length > 0:
            phi = math.acos(max(-1.0, min(1.0, x[0] / length)))
            if x[1] > 0:
                first = phi < theta_p
                turn = theta * (phi / theta_p if first else (math.pi - phi) / (math.pi - theta_p))
            else:
                first = phi >= math.pi - theta_p
                turn = theta * ((math.pi - phi) / theta_p if first else phi / (math.pi - theta_p))
            c, s = math.cos(turn), math.sin(turn)
            x[0], x[1] = c * x[0] - s * x[1], s * x[0] + c * x[1]
        done.append(u.T @ x)
    return np.array(done)


@pytest.mark.parametrize("degrees", ANGLES)
def test_v1_stays_and_v2_ends_at_a_right_angle(degrees: int) -> None:
    v1, v2 = pair_at(degrees, 7, seed=degrees)
    v2 = flipped(v1, v2)
    kept, turned = graded_rotation(np.stack([v1, v2]), v1, v2)
    np.testing.assert_allclose(kept, v1, atol=1e-12)
    assert abs(turned @ v1) < 1e-12
    assert turned @ v2 > 0


@pytest.mark.parametrize("degrees", ANGLES)
def test_it_equals_the_definition_with_a_whole_basis_and_one_row_at_a_time(degrees: int) -> None:
    v1, v2 = pair_at(degrees, 6, seed=degrees)
    v2 = flipped(v1, v2)
    rows = np.random.default_rng(degrees).normal(size=(200, 6))
    np.testing.assert_allclose(
        graded_rotation(rows, v1, v2), by_basis(rows, v1, v2), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(("degrees", "wrong"), [(30, 45), (45, 90), (60, 108), (80, 126.9)])
def test_swapping_the_angles_gives_the_documented_wrong_ones(degrees: float, wrong: float) -> None:
    v1, v2 = pair_at(degrees, 5, seed=1)
    [right] = graded_rotation(v2[None], v1, v2)
    [slipped] = by_basis(v2[None], v1, v2, swapped=True)
    assert np.degrees(safe_angle(v1, right)) == pytest.approx(90, abs=1e-9)
    assert np.degrees(safe_angle(v1, slipped)) == pytest.approx(wrong, abs=0.5)


@settings(deadline=None, max_examples=60)
@given(
    degrees=st.floats(0.5, 90),
    dim=st.integers(2, 12),
    scale=st.sampled_from([1e-30, 1e-6, 1.0, 1e6, 1e30]),
    seed=st.integers(0, 10**6),
)
def test_lengths_and_all_outside_the_plane_are_kept_at_any_scale(
    degrees: float, dim: int, scale: float, seed: int
) -> None:
    v1, v2 = pair_at(degrees, dim, seed)
    rows = scale * np.random.default_rng(seed).normal(size=(30, dim))
    after = graded_rotation(rows, v1, v2)
    np.testing.assert_allclose(
        np.linalg.norm(after, axis=1), np.linalg.norm(rows, axis=1), rtol=1e-12
    )
    outside = np.linalg.svd(np.stack([v1, v2]))[2][2:]
    np.testing.assert_allclose(after @ outside.T, rows @ outside.T, atol=1e-11 * scale)
    np.testing.assert_allclose(graded_rotation(-rows, v1, v2), -after, atol=1e-11 * scale)
    single = graded_rotation(rows.astype(np.float32), v1, v2)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, after, atol=2e-5 * scale)


def test_zero_rows_and_rows_without_a_part_in_the_plane_are_untouched() -> None:
    v1, v2 = np.array([1.0, 0, 0, 0]), unit(np.array([1.0, 1.0, 0, 0]))
    rows = np.array([[0.0, 0, 0, 0], [0, 0, 3, -4]])
    np.testing.assert_array_equal(graded_rotation(rows, v1, v2), rows)


def test_directions_at_a_right_angle_change_nothing() -> None:
    rows = np.random.default_rng(0).normal(size=(40, 3))
    after = graded_rotation(rows, np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
    np.testing.assert_allclose(after, rows, atol=1e-15)


@pytest.mark.parametrize("degrees", [5, 20, 45, 70, 89])
def test_the_turn_has_no_jump_anywhere_on_the_circle(degrees: int) -> None:
    circle = np.linspace(-np.pi, np.pi, 200_001)
    angle = np.radians(degrees)
    turns = graded_turns(np.stack([np.cos(circle), np.sin(circle)], axis=1), angle)
    steepest = (np.pi / 2 - angle) / min(angle, np.pi - angle)
    assert np.abs(np.diff(turns)).max() <= 1.001 * steepest * (circle[1] - circle[0])
    assert turns.max() == pytest.approx(np.pi / 2 - angle, abs=1e-4)
    assert abs(turns[0] - turns[-1]) < 1e-12
    assert (np.diff(circle + turns) > 0).all()  # so no two directions are merged


def test_a_centre_stays_and_distances_to_it_in_the_plane_are_kept() -> None:
    rng = np.random.default_rng(5)
    v1, v2 = pair_at(50, 6, seed=5)
    centre, rows = rng.normal(size=6), rng.normal(size=(30, 6))
    after = graded_rotation(rows, v1, v2, centre)
    moved = by_basis(rows - centre, v1, v2) + centre
    np.testing.assert_allclose(after, moved, atol=1e-12)
    np.testing.assert_allclose(graded_rotation(centre[None], v1, v2, centre)[0], centre, atol=1e-15)
