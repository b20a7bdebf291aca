import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from unslant.numerics.correlation import average_ranks, rank_correlation
from unslant.numerics.permutation import benjamini_hochberg, holm

p_values = st.lists(st.floats(1e-9, 1), min_size=1, max_size=12)


@given(p_values)
def test_the_false_discovery_rate_is_that_of_scipy(p: list[float]) -> None:
    assert np.allclose(benjamini_hochberg(p), stats.false_discovery_control(p, method="bh"))


@given(p_values)
def test_holm_is_the_step_down_definition(p: list[float]) -> None:
    order = sorted(range(len(p)), key=lambda i: p[i])
    expected, running = [0.0] * len(p), 0.0
    for step, i in enumerate(order):
        running = max(running, min(1.0, (len(p) - step) * p[i]))
        expected[i] = running
    assert np.allclose(holm(p), expected)
    assert (holm(p) >= np.array(p) - 1e-15).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-12).all()


def test_a_worked_example() -> None:
    assert holm([0.01, 0.02, 0.03, 0.5]).tolist() == pytest.approx([0.04, 0.06, 0.06, 0.5])


@given(arrays(np.float64, (3, 8), elements=st.integers(-3, 3).map(float)))
def test_ranks_with_ties_are_those_of_scipy(rows: np.ndarray) -> None:
    assert np.array_equal(average_ranks(rows), stats.rankdata(rows, axis=1))


def test_rank_correlation_is_that_of_scipy_and_nan_for_a_constant_row() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 5, (4, 20)).astype(float), rng.normal(size=(4, 20))
    expected = [stats.spearmanr(a, b).statistic for a, b in zip(first, second, strict=True)]
    assert np.allclose(rank_correlation(first, second), expected)
    assert np.isnan(rank_correlation(np.ones((1, 4)), second[:1, :4])).all()
