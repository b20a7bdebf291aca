"""Correlations: their laws, agreement with scipy, honest p-values and intervals, never NaN."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.correlations import correlation_matrix
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.numerics.bootstrap import bca_interval
from unslant.numerics.correlation import KINDS, Correlation, correlation, rank_correlation

QUICK: dict[str, Any] = {"resamples": 200, "permuted": 200}


def pair(seed: int, n: int, r: float = 0.5) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, r * x + np.sqrt(1 - r * r) * rng.normal(size=n)


def value_of(found: Correlation) -> float:
    assert found.value is not None
    return found.value


@pytest.mark.parametrize("n", [3, 4, 9, 16, 50])
def test_the_values_are_those_of_scipy(n: int) -> None:
    x, y = pair(n, n)
    tied = np.round(y)
    if len(set(tied)) == 1:
        tied[0] += 1
    assert value_of(correlation(x, y, **QUICK)) == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-12)
    for other in (y, tied):
        ours = value_of(correlation(x, other, kind="spearman", **QUICK))
        assert ours == pytest.approx(stats.spearmanr(x, other)[0], abs=1e-12)


@given(
    seed=st.integers(0, 10_000),
    scale=st.floats(1e-6, 1e6),
    shift=st.floats(-100, 100),
    sign=st.sampled_from([-1, 1]),
)
@settings(max_examples=40, deadline=None)
def test_a_change_of_units_changes_nothing_but_the_sign(
    seed: int, scale: float, shift: float, sign: int
) -> None:
    x, y = pair(seed, 7)
    moved = sign * scale * (x + shift)
    for kind in KINDS:
        one, other = (correlation(side, y, kind=kind, **QUICK) for side in (x, moved))
        assert value_of(other) == pytest.approx(sign * value_of(one), abs=1e-9)
        assert other.p == one.p


def test_any_rising_map_leaves_spearman_alone_and_moves_pearson() -> None:
    x, y = pair(1, 20)
    one, other = (correlation(side, y, kind="spearman") for side in (x, np.exp(3 * x)))
    assert other == one
    assert correlation(np.exp(3 * x), y).value != pytest.approx(correlation(x, y).value, abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_an_exact_p_counts_every_order_as_plain_python_does(kind: str, n: int) -> None:
    x, y = pair(10 + n, n)
    y = np.round(y, 1)
    coefficient = stats.pearsonr if kind == "pearson" else stats.spearmanr
    observed = abs(coefficient(x, y)[0])
    extreme = [abs(coefficient(x, order)[0]) >= observed - 1e-9 for order in permutations(y)]
    found = correlation(x, y, kind=kind)
    assert (found.p, found.how, found.outcomes) == (np.mean(extreme), "exact", len(extreme))


@pytest.mark.parametrize("n", [7, 8])
def test_an_exact_p_is_that_of_scipy(n: int) -> None:
    x, y = pair(n, n)
    peer = stats.permutation_test(
        (x,),
        lambda order, axis: np.abs((order - order.mean(axis=axis, keepdims=True)) @ y),
        permutation_type="pairings",
        n_resamples=np.inf,
        alternative="greater",
        vectorized=True,
    )
    assert correlation(x, y).p == pytest.approx(peer.pvalue, abs=1e-12)


def test_a_sampled_p_is_close_to_the_one_of_the_t_distribution_and_never_0() -> None:
    x, y = pair(3, 30, 0.35)
    found = correlation(x, y)
    assert (found.how, found.outcomes) == ("monte carlo", 10_001)
    assert found.p == pytest.approx(stats.pearsonr(x, y)[1], abs=0.012)
    assert correlation(x, 2 * x).p == 1 / 10_001


def test_orders_that_are_equal_but_for_rounding_count_as_extreme() -> None:
    x, y = np.array([0.1, 0.2, 0.3, 0.4, 0.1 + 0.2]), np.array([0.3, 0.1, 0.2, 0.7, 0.6])
    scaled = 1e-3 * x + 7
    assert correlation(x, y).p == correlation(scaled, y).p == correlation(x, y / 3).p


@pytest.mark.parametrize(("kind", "n"), [("pearson", 6), ("spearman", 8), ("pearson", 12)])
def test_without_a_relation_p_is_uniform(kind: str, n: int) -> None:
    rng = np.random.default_rng(4)
    p_values = [
        correlation(rng.normal(size=n), rng.exponential(size=n), kind=kind, **QUICK).p
        for _ in range(400)
    ]
    for level in (0.05, 0.2, 0.5, 0.8):
        share = np.mean([p is not None and p <= level for p in p_values])
        assert share <= level + 0.06  # never more often than it says
        assert share >= level - 0.1  # and little less: ranks of 8 rows leave gaps


@pytest.mark.parametrize(("kind", "truth"), [("pearson", 0.4), ("spearman", 0.385)])
def test_the_interval_covers_the_truth_about_as_often_as_it_says(kind: str, truth: float) -> None:
    hits = 0
    for seed in range(250):
        x, y = pair(seed, 16, 0.4)
        found = correlation(x, y, kind=kind, resamples=400, permuted=1)
        assert found.low is not None
        assert found.high is not None
        assert -1 <= found.low <= found.high <= 1
        hits += found.low <= truth <= found.high
    assert 0.87 <= hits / 250 <= 0.99


def test_the_interval_is_close_to_the_one_of_scipy() -> None:
    x, y = pair(6, 40)
    found = correlation(x, y, resamples=10_000)
    peer = stats.bootstrap(
        (x, y),
        lambda a, b: stats.pearsonr(a, b)[0],
        paired=True,
        vectorized=False,
        n_resamples=2_000,
        random_state=0,
    ).confidence_interval
    assert found.low == pytest.approx(peer.low, abs=0.03)
    assert found.high == pytest.approx(peer.high, abs=0.03)


def test_a_matrix_is_the_same_both_ways_and_drops_missing_values_pair_by_pair() -> None:
    data = np.random.default_rng(7).normal(size=(12, 4))
    data[[0, 3], 0] = np.nan
    data[[3, 5, 6], 1] = np.nan
    found = correlation_matrix(data, **QUICK)
    counts = [[item.n for item in line] for line in found]
    assert counts == [[10, 8, 10, 10], [8, 9, 9, 9], [10, 9, 12, 12], [10, 9, 12, 12]]
    for i in range(4):
        assert found[i][i].value == pytest.approx(1)
        for j in range(4):
            assert found[i][j] == found[j][i]
            keep = np.isfinite(data[:, i]) & np.isfinite(data[:, j])
            peer = np.corrcoef(data[keep, i], data[keep, j])[0, 1]
            assert found[i][j].value == pytest.approx(peer, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_what_has_no_value_has_a_reason(kind: str) -> None:
    varied, constant = [1.0, 2.0, 4.0, 3.0], [0.1 + 0.2, 0.3, 0.3, 0.3]
    for other in (constant, [0.0] * 4):
        found = correlation(varied, other, kind=kind)
        assert (found.value, found.p, found.low) == (None, None, None)
        assert "is constant" in found.why_undefined
    for n in (0, 1, 2):
        found = correlation(varied[:n], varied[1 : n + 1], kind=kind)
        assert (found.value, found.n) == (None, n)
        assert "3 are needed" in found.why_undefined
    assert correlation([1, np.nan, 3, 4], [np.nan, 2, 3, 5], kind=kind).n == 2


def test_the_interval_of_spearman_ranks_every_resample_anew() -> None:
    x, y = pair(9, 12)
    peer = bca_interval(
        lambda samples: rank_correlation(x[samples[0]], y[samples[0]]),
        [12],
        generator(0, "correlation", "bootstrap", "12"),
    )
    found = correlation(x, y, kind="spearman")
    assert peer is not None
    assert (found.low, found.high) == pytest.approx(peer.ends, abs=1e-9)


def test_a_column_that_varies_in_one_row_only_has_no_interval() -> None:
    found = correlation([0.7] * 11 + [1.0], np.random.default_rng(0).normal(size=12))
    assert found.value is not None
    assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize("kind", KINDS)
def test_four_rows_have_no_interval_either(kind: str) -> None:
    found = correlation([1, 2, 3, 4], [1, 3, 2, 5], kind=kind)
    assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize("kind", KINDS)
def test_three_rows_have_a_value_and_an_honest_p_but_no_interval(kind: str) -> None:
    found = correlation([1, 2, 3], [10, 20, 31], kind=kind)
    assert value_of(found) > 0.99
    assert found.p == (1 / 3)
    assert (found.low, found.high) == (None, None)


def test_a_perfect_correlation_claims_no_interval() -> None:
    found = correlation(np.arange(20.0), 3 * np.arange(20.0) - 5)
    assert found.value == pytest.approx(1)
    assert found.low is None


@given(
    rows=st.lists(
        st.tuples(*[st.one_of(st.sampled_from([0.0, 1.0, np.nan]), st.floats(-1e300, 1e300))] * 3),
        min_size=1,
        max_size=9,
    ),
    kind=st.sampled_from(KINDS),
)
@settings(max_examples=60, deadline=None)
def test_nothing_is_ever_nan(rows: list[tuple[float, ...]], kind: str) -> None:
    for line in correlation_matrix(np.array(rows), kind=kind, resamples=50, permuted=50):
        for found in line:
            assert (found.value is None) == bool(found.why_undefined)
            numbers = [x for x in (found.value, found.low, found.high, found.p) if x is not None]
            assert np.isfinite(numbers).all()
            assert all(-1 <= number <= 1 for number in numbers)
            assert found.p is None or found.p > 0


def test_the_same_seed_gives_the_same_bits_and_another_one_others() -> None:
    x, y = pair(8, 16)
    assert correlation(x, y, seed=1) == correlation(x, y, seed=1)
    one, other = (correlation(x, y[::-1], seed=seed) for seed in (1, 2))
    assert one.value == other.value
    assert one.p != other.p
    assert one.low != other.low


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind must be one of"):
        correlation([1, 2, 3], [1, 2, 3], kind="kendall")
