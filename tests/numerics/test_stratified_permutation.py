"""Permutation tests within strata: as by listing every way, exact, and calibrated."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from unslant.numerics.permutation import permutation_test
from unslant.numerics.strata import permuted, spread_test, spreads, two_groups_test


def listed(counts: list[int], first: list[bool], strata: list[int]) -> float | None:
    """The p-value by listing every way, in plain Python."""
    parts = [[n for n, s in enumerate(strata) if s == stratum] for stratum in sorted(set(strata))]
    sizes = [sum(first[n] for n in part) for part in parts]
    expected = sum(
        size * sum(counts[n] for n in part) / len(part)
        for part, size in zip(parts, sizes, strict=True)
    )
    far = abs(sum(c for c, f in zip(counts, first, strict=True) if f) - expected)
    ways = extreme = 0
    for chosen in product(*(combinations(p, s) for p, s in zip(parts, sizes, strict=True))):
        ways += 1
        extreme += abs(sum(counts[n] for part in chosen for n in part) - expected) >= far - 1e-9
    return extreme / ways if ways > 1 else None


ITEMS = st.lists(
    st.tuples(st.integers(0, 30), st.booleans(), st.integers(0, 1)), min_size=2, max_size=9
)


@given(ITEMS)
def test_the_p_value_is_that_of_listing_every_way(items: list[tuple[int, bool, int]]) -> None:
    counts, first, strata = (list(column) for column in zip(*items, strict=True))
    found = two_groups_test(
        np.array(counts), np.array(first), np.array(strata), np.random.default_rng(0)
    )
    expected = listed(counts, first, strata)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert found.how == "exact"
        assert found.p_value == pytest.approx(expected, rel=1e-12)


def test_with_one_stratum_it_is_the_test_of_two_means() -> None:
    rng = np.random.default_rng(3)
    counts = rng.integers(500, 900, 40)
    first = np.arange(40) < 20
    found = two_groups_test(counts, first, np.zeros(40, dtype=np.int64), rng)
    means = permutation_test(counts[first] / 1000, counts[~first] / 1000, rng)
    assert found is not None
    assert means.how == found.how == "exact"
    assert found.outcomes == means.outcomes == 137_846_528_820
    assert abs(found.p_value - means.p_value) <= means.error + 1e-12


def test_sampled_ways_agree_with_counted_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    counts, strata = rng.integers(0, 50, 24), np.repeat([0, 1], 12)
    first = np.tile([True, False], 12)
    exact = two_groups_test(counts, first, strata, rng)
    monkeypatch.setattr("unslant.numerics.strata._LARGEST_WORK", 0)
    sampled = two_groups_test(counts, first, strata, rng)
    assert exact is not None
    assert sampled is not None
    assert (exact.how, sampled.how) == ("exact", "monte carlo")
    assert sampled.p_value == pytest.approx(exact.p_value, abs=0.02)


def test_an_effect_of_the_stratum_is_not_one_of_the_group() -> None:
    # Counts depend on the stratum only, and the first group has more of the high stratum.
    counts = np.array([90, 91, 92, 89, 11, 10, 9, 12])
    first = np.array([True, True, True, False, True, False, False, False])
    within = two_groups_test(counts, first, np.repeat([0, 1], 4), np.random.default_rng(0))
    assert within is not None
    assert within.p_value > 0.3
    without = two_groups_test(counts, first, np.zeros(8, dtype=np.int64), np.random.default_rng(0))
    assert without is not None
    assert without.p_value < within.p_value


def test_p_values_are_uniform_where_groups_do_not_matter() -> None:
    rng = np.random.default_rng(5)
    first, strata = np.arange(40) % 2 == 0, np.arange(40) // 2 % 2
    found = []
    for _ in range(200):
        names = rng.beta(20, 5, 40) - 0.2 * strata  # strata may differ
        test = two_groups_test(rng.binomial(300, names), first, strata, rng)
        assert test is not None
        found.append(test.p_value)
    assert kstest(found, "uniform").pvalue > 0.01


def test_the_spread_of_several_groups_is_calibrated_and_finds_an_effect() -> None:
    rng = np.random.default_rng(6)
    groups, strata = np.arange(40) % 4, np.zeros(40, dtype=np.int64)
    found = []
    for _ in range(100):
        test = spread_test(rng.integers(0, 100, 40), groups, strata, rng, resamples=400)
        assert test is not None
        found.append(test.p_value)
    assert kstest(found, "uniform").pvalue > 0.01
    counts = rng.integers(0, 20, 40) + 15 * (groups == 2)
    test = spread_test(counts, groups, strata, rng, resamples=1_000)
    assert test is not None
    assert test.p_value == 1 / 1_001  # never 0


def test_permuted_labels_stay_in_their_strata() -> None:
    labels, strata = np.array([0, 1, 1, 2, 2, 2]), np.array([0, 0, 0, 1, 1, 1])
    found = permuted(labels, strata, 50, np.random.default_rng(0))
    assert (np.sort(found[:, :3], axis=1) == [0, 1, 1]).all()
    assert (found[:, 3:] == 2).all()
    assert len(np.unique(found, axis=0)) == 3
    assert spreads(labels[None], np.array([1, 2, 4, 9, 9, 9])).tolist() == [8]
    assert (
        spread_test(labels, np.array([0, 0, 0, 1, 1, 1]), strata, np.random.default_rng(0)) is None
    )
