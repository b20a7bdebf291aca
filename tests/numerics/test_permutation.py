"""The p-values of the permutation test, against full enumeration and under the null."""

import random
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tallies import Tally
from unslant.numerics.permutation import permutation_test, subset_sums

scores = st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=5)


def by_enumeration(first: list[float], second: list[float], alternative: str) -> float:
    """The definition, written out: every split of the pooled scores."""
    pooled = first + second
    observed = np.mean(first) - np.mean(second)
    count = total = 0
    for chosen in combinations(range(len(pooled)), len(first)):
        ours = [pooled[i] for i in chosen]
        rest = [pooled[i] for i in range(len(pooled)) if i not in chosen]
        difference = np.mean(ours) - np.mean(rest)
        extreme = {
            "two-sided": abs(difference) >= abs(observed) - 1e-9,
            "greater": difference >= observed - 1e-9,
            "less": difference <= observed + 1e-9,
        }[alternative]
        count += bool(extreme)
        total += 1
    return count / total


@given(scores, scores, st.sampled_from(["two-sided", "greater", "less"]))
def test_the_exact_p_is_the_share_of_all_splits(
    first: list[float], second: list[float], alternative: str
) -> None:
    found = permutation_test(
        np.array(first), np.array(second), np.random.default_rng(0), alternative=alternative
    )
    assert found.how == "exact"
    assert found.outcomes == comb(len(first) + len(second), len(first))
    assert found.p_value == pytest.approx(by_enumeration(first, second, alternative))


def test_splits_that_equal_the_data_up_to_rounding_count() -> None:
    """Tenths are not exact in binary, so that sums of the same numbers differ in the last bit."""
    draw = random.Random(5)
    for _ in range(60):
        tenths = [draw.randrange(1, 10) for _ in range(8)]
        first, second = np.array(tenths[:4]) / 10, np.array(tenths[4:]) / 10
        found = permutation_test(first, second, np.random.default_rng(0))
        expected = by_enumeration([*map(float, tenths[:4])], [*map(float, tenths[4:])], "two-sided")
        assert found.p_value == pytest.approx(expected), tenths


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=9), st.data())
def test_subset_sums_are_those_of_all_combinations(
    values: list[float], data: st.DataObject
) -> None:
    size = data.draw(st.integers(0, len(values)))
    wanted = sorted(sum(chosen) for chosen in combinations(values, size))
    assert np.allclose(sorted(subset_sums(np.array(values), size)), wanted, atol=1e-9)


def test_perfect_separation_of_8_and_8_words_has_the_smallest_exact_p() -> None:
    first, second = np.arange(8.0) + 100, np.arange(8.0)
    rng = np.random.default_rng(0)
    one_sided = permutation_test(first, second, rng, alternative="greater")
    assert one_sided.p_value == 1 / comb(16, 8)
    assert permutation_test(second, first, rng).p_value == 2 / comb(16, 8)


def test_the_two_sided_p_does_not_change_when_the_groups_are_swapped() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=7), rng.normal(size=5)
    assert (
        permutation_test(first, second, rng).p_value == permutation_test(second, first, rng).p_value
    )


def sampled_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every test sample its splits."""
    monkeypatch.setattr("unslant.numerics.permutation.EXACT_UP_TO", 0)
    monkeypatch.setattr("unslant.numerics.permutation.share_of_splits_at_least", lambda *_: None)


def test_the_largest_separation_of_25_and_25_words_is_one_split_in_126_billion_thousand() -> None:
    first, second = np.arange(25.0) + 100, np.arange(25.0)
    found = permutation_test(first, second, np.random.default_rng(0), alternative="greater")
    assert found.how == "exact"
    assert found.outcomes == comb(50, 25)
    assert found.p_value == pytest.approx(1 / comb(50, 25), rel=1e-9)


def test_too_many_words_to_count_are_sampled_and_p_is_never_0() -> None:
    first, second = np.arange(600.0) + 9000, np.arange(600.0)
    found = permutation_test(first, second, np.random.default_rng(0), resamples=999)
    assert (found.how, found.p_value, found.outcomes) == ("monte carlo", 1 / 1000, 1000)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_sampled_p_agrees_with_the_exact_one(
    alternative: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(0.4, 1, 8), rng.normal(0, 1, 8)
    exact = permutation_test(first, second, rng, alternative=alternative).p_value
    sampled_only(monkeypatch)
    found = permutation_test(first, second, rng, alternative=alternative, resamples=200_000)
    assert found.how == "monte carlo"
    assert abs(found.p_value - exact) < 4 * np.sqrt(exact * (1 - exact) / 200_000)


@pytest.mark.parametrize("shift", [0.0, 0.4, 0.8])
def test_a_counted_p_of_25_and_25_words_agrees_with_a_million_sampled_splits(
    shift: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(shift, 1, 25), rng.normal(0, 1, 25)
    counted = permutation_test(first, second, rng)
    assert counted.how == "exact"
    assert counted.error <= 0.005 * counted.p_value
    sampled_only(monkeypatch)
    sampled = permutation_test(first, second, rng, resamples=1_000_000).p_value
    assert abs(sampled - counted.p_value) < counted.error + 4 * np.sqrt(counted.p_value / 1e6)


def test_under_the_null_an_exact_test_rejects_at_most_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    p = [permutation_test(rng.normal(size=5), rng.normal(size=5), rng).p_value for _ in range(4000)]
    rejected = np.mean(np.array(p) <= 0.05)
    # 252 splits: the largest attainable level at or below .05 is 12/252.
    assert abs(rejected - 12 / 252) < 4 * np.sqrt(0.05 * 0.95 / 4000)


def test_ten_thousand_null_draws_reject_at_05_about_500_times(tally: Tally) -> None:
    rng = np.random.default_rng(6)
    p = [
        permutation_test(rng.normal(size=8), rng.normal(size=8), rng).p_value for _ in range(10_000)
    ]
    assert 0.045 <= np.mean(np.array(p) <= 0.05) <= 0.055
    assert min(p) > 0
    tally(len(p), said=f"{np.mean(np.array(p) <= 0.05):.1%} rejected at .05")


def test_constant_scores_give_p_1() -> None:
    assert permutation_test(np.ones(4), np.ones(4), np.random.default_rng(0)).p_value == 1


def test_an_unknown_alternative_is_refused() -> None:
    with pytest.raises(ValueError, match="alternative"):
        permutation_test(np.ones(2), np.ones(2), np.random.default_rng(0), alternative="both")
