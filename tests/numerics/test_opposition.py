"""The step that joins predictor and adversaries: its promises, and published ways to break them."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from unslant.numerics.descent import opposed, perpendicular, product, without, without_each

Array = NDArray[np.floating]
Way = Callable[[Array, Sequence[Array]], Array]

P = np.array([[1.0, 2.0], [3.0, 4.0]])


def ours(predictor: Array, adversaries: Sequence[Array]) -> Array:
    return opposed(predictor, adversaries, [0.0] * len(adversaries))


def sum_of_inner(predictor: Array, adversaries: Sequence[Array]) -> Array:
    """fairlearn: torch.sum(torch.inner(A, B)), all products of rows with rows."""
    for u in adversaries:
        unit = u / np.linalg.norm(u)
        predictor = predictor - np.inner(predictor, unit).sum() * unit
    return predictor


def one_number(predictor: Array, adversaries: Sequence[Array]) -> Array:
    """AllenNLP: the sum of g · u · u taken from every entry."""
    for u in adversaries:
        unit = u / np.linalg.norm(u)
        predictor = predictor - (predictor * unit * unit).sum()
    return predictor


def by_row(predictor: Array, adversaries: Sequence[Array]) -> Array:
    """AIF360 projects one variable at a time; here each row is a variable of its own."""
    rows = [ours(g, list(us)) for g, *us in zip(predictor, *adversaries, strict=True)]
    return np.array(rows)


def published_sum(predictor: Array, adversaries: Sequence[Array]) -> Array:
    """The formula for two adversaries: the predictor's gradient minus both projections of it."""
    return without_each(predictor, list(adversaries))


def largest_component(step: Array, adversaries: Sequence[Array]) -> float:
    """The first promise: 0."""
    return max(float(abs(np.sum(step * u)) / np.linalg.norm(u)) for u in adversaries)


def taken_beyond_the_span(step: Array, predictor: Array, adversaries: Sequence[Array]) -> float:
    """The second promise: 0, because nothing is taken but what helps an adversary."""
    taken = (predictor - step).ravel()
    basis = np.array([u.ravel() for u in adversaries]).T
    coefficients, *_ = np.linalg.lstsq(basis, taken, rcond=None)
    return float(np.linalg.norm(basis @ coefficients - taken))


def gradients(seed: int, count: int, shape: tuple[int, ...] = (5, 3)) -> tuple[Array, list[Array]]:
    rng = np.random.default_rng(seed)
    common = rng.normal(size=shape)  # the adversaries' gradients are far from perpendicular
    return rng.normal(size=shape), [common + rng.normal(size=shape) for _ in range(count)]


def test_the_step_of_a_case_done_by_hand() -> None:
    # ⟨P, I⟩ = 5 and ‖I‖² = 2, so P − 2.5 I − 0.5 I.
    np.testing.assert_allclose(opposed(P, [np.eye(2)], [0.5]), [[-2, 2], [3, 1]])


def test_the_step_of_two_adversaries_done_by_hand() -> None:
    # (1, 2, 3) without the plane of (1, 0, 0) and (1, 1, 0) is (0, 0, 3).
    one, other = np.array([1.0, 0, 0]), np.array([1.0, 1, 0])
    np.testing.assert_allclose(ours(np.array([1.0, 2, 3]), [one, other]), [0, 0, 3])
    found = opposed(np.array([1.0, 2, 3]), [one, other], [2.0, 0.5])
    np.testing.assert_allclose(found, [-2.5, -0.5, 3])


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_before_alpha_the_step_has_no_component_along_any_adversary(seed: int, count: int) -> None:
    predictor, adversaries = gradients(seed, count)
    step = ours(predictor, adversaries)
    assert largest_component(step, adversaries) < 1e-12
    assert taken_beyond_the_span(step, predictor, adversaries) < 1e-12


@pytest.mark.parametrize(
    ("way", "count", "breaks"),
    [
        (sum_of_inner, 1, "first"),
        (one_number, 1, "first"),
        (by_row, 1, "second"),
        (sum_of_inner, 2, "first"),
        (one_number, 2, "first"),
        (by_row, 2, "second"),
        (published_sum, 2, "first"),
    ],
)
def test_published_ways_break_a_promise(way: Way, count: int, breaks: str) -> None:
    broken = []
    for seed in range(5):
        predictor, adversaries = gradients(seed, count)
        step = way(predictor, adversaries)
        left = largest_component(step, adversaries)
        beyond = taken_beyond_the_span(step, predictor, adversaries)
        broken.append(left if breaks == "first" else beyond)
    assert min(broken) > 1e-3
    assert max(broken) > 0.5


def test_the_published_sum_is_ours_for_one_adversary_and_for_perpendicular_ones() -> None:
    predictor, [u] = gradients(3, 1)
    np.testing.assert_allclose(published_sum(predictor, [u]), ours(predictor, [u]))
    first, second = perpendicular(gradients(4, 2)[1])
    assert first is not None
    assert second is not None
    pair = [first, second]
    np.testing.assert_allclose(published_sum(predictor, pair), ours(predictor, pair))


def test_alpha_moves_against_the_adversary_and_the_reversed_sign_helps_it() -> None:
    # L_P = |W − A|² / 2 and L_z = |W − B|² / 2, so the gradients are known exactly.
    rng = np.random.default_rng(0)
    W, A, B = rng.normal(size=(3, 4, 3))
    loss = float(np.sum((W - B) ** 2) / 2)
    after = {}
    for alpha in (-1.0, 0.0, 1.0):
        moved = W - 1e-4 * opposed(W - A, [W - B], [alpha])
        after[alpha] = float(np.sum((moved - B) ** 2) / 2) - loss
    square = float(np.sum((W - B) ** 2))
    assert after[0.0] == pytest.approx(0, abs=1e-6)
    assert after[1.0] == pytest.approx(1e-4 * square, rel=1e-2)  # the adversary's loss grows
    assert after[-1.0] == pytest.approx(-1e-4 * square, rel=1e-2)


def test_an_adversary_without_slope_leaves_the_predictor_its_way() -> None:
    for tiny in (np.zeros((2, 2)), np.full((2, 2), 1e-14)):
        np.testing.assert_allclose(ours(P, [tiny]), P, rtol=0, atol=0)
        assert perpendicular([tiny]) == [None]


def test_an_adversary_in_the_span_of_the_others_adds_no_direction() -> None:
    predictor, [one, other] = gradients(1, 2)
    found = perpendicular([one, other, 2 * one - other])
    assert [each is not None for each in found] == [True, True, False]
    both = [one, other, 2 * one - other]
    assert largest_component(ours(predictor, both), both) < 1e-12


@pytest.mark.parametrize("apart", [1.0, 1e-2, 1e-4])
def test_single_precision_and_adversaries_that_almost_agree(apart: float) -> None:
    rng = np.random.default_rng(0)
    predictor, one, other = rng.normal(size=(3, 200_000)).astype(np.float32)
    both = [one, (one + apart * other).astype(np.float32)]
    step = without(predictor, perpendicular(both))
    length = float(np.linalg.norm(predictor))
    assert largest_component(step.astype(np.float64), both) < 1e-5 * length


def test_long_products_lose_nothing_in_single_precision() -> None:
    rng = np.random.default_rng(0)
    one, other = (rng.normal(size=500_000).astype(np.float32) + 1 for _ in range(2))
    exact = float(np.vdot(one.astype(np.float64), other.astype(np.float64)))
    assert product(one, other) == pytest.approx(exact, rel=1e-6)
