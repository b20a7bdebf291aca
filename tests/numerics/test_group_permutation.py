"""The permutation test of several groups: listed, sampled, and uniform without a difference."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import f_oneway, kstest

from unslant.numerics.permutation import groups_test, permutation_test, share_between


def test_the_share_is_that_of_an_analysis_of_variance() -> None:
    rng = np.random.default_rng(0)
    sizes = (4, 6, 5)
    for _ in range(20):
        scores = rng.normal(size=15)
        share = float(share_between(scores, sizes))
        f = share / 2 / ((1 - share) / (15 - 3))
        assert f == pytest.approx(f_oneway(*np.split(scores, [4, 10])).statistic)


def test_the_exact_p_is_that_of_all_orders() -> None:
    scores = np.array([0.3, -1.0, 2.0, 0.1, 0.4, 1.9])
    sizes = (2, 2, 2)
    every = np.array(list(permutations(scores)))
    as_extreme = share_between(every, sizes) >= share_between(scores, sizes) - 1e-12
    found = groups_test(scores, sizes, np.random.default_rng(0))
    assert (found.how, found.outcomes) == ("exact", 90)
    assert found.p_value == pytest.approx(as_extreme.mean())


def test_two_groups_of_one_size_have_the_two_sided_p_of_their_means() -> None:
    scores = np.random.default_rng(3).normal(size=12)
    rng = np.random.default_rng(0)
    pair = permutation_test(scores[:6], scores[6:], rng)
    assert groups_test(scores, (6, 6), rng).p_value == pytest.approx(pair.p_value)


def test_a_sample_of_orders_comes_near_the_exact_p_and_is_never_0(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = np.random.default_rng(5).normal(size=9)
    exact = groups_test(scores, (3, 3, 3), np.random.default_rng(0))
    monkeypatch.setattr("unslant.numerics.permutation.EXACT_PARTITIONS_UP_TO", 0)
    sampled = groups_test(scores, (3, 3, 3), np.random.default_rng(0), resamples=40_000)
    assert sampled.how == "monte carlo"
    assert sampled.p_value == pytest.approx(exact.p_value, abs=0.01)
    far = np.repeat([0.0, 1.0, 2.0], 10)
    assert groups_test(far, (10, 10, 10), np.random.default_rng(0), resamples=99).p_value == 0.01


def test_groups_that_do_not_differ_give_a_uniform_p() -> None:
    rng = np.random.default_rng(1)
    found = [
        groups_test(rng.normal(size=20), (5, 8, 7), rng, resamples=199).p_value for _ in range(400)
    ]
    assert kstest(found, "uniform").pvalue > 0.01


def test_equal_scores_have_no_share() -> None:
    assert np.isnan(share_between(np.full(6, 0.25), (3, 3)))
