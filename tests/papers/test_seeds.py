"""What several trainings say together."""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from experiments.papers.seeds import Difference, difference, mean_and_spread, one_more, told


def test_mean_and_standard_deviation_with_the_number_of_trainings() -> None:
    assert mean_and_spread([0.3, 0.4, 0.5]) == ".400 ± .100 (3)"
    assert mean_and_spread([0.3]) == ".300 (1)"
    assert mean_and_spread([]) == "–"


def test_the_interval_is_welchs_by_another_program() -> None:
    draws = np.random.default_rng(0)
    for sizes in ((4, 4), (2, 4), (3, 8)):
        these, others = draws.normal(0.5, 0.1, sizes[0]), draws.normal(0.4, 0.02, sizes[1])
        found = difference(list(these), list(others))
        theirs = ttest_ind(these, others, equal_var=False).confidence_interval(0.95)
        assert found.value == pytest.approx(these.mean() - others.mean())
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


def test_one_training_tells_nothing_from_chance() -> None:
    found = difference([0.9], [0.1, 0.11, 0.12])
    assert (found.low, found.high, found.is_told_apart) == (None, None, None)
    assert told(found) == "one training"


def test_chance_is_excluded_only_if_the_interval_excludes_zero() -> None:
    assert told(Difference(0.1, 0.01, 0.2)) == told(Difference(-0.1, -0.2, -0.01)) == "yes"
    assert told(Difference(0.1, -0.01, 0.2)) == "no"


def test_trainings_without_any_spread_give_a_point() -> None:
    found = difference([0.5, 0.5], [0.4, 0.4])
    assert found.low == found.high == pytest.approx(0.1)


def test_trainings_of_the_same_kind_are_rarely_told_apart() -> None:
    draws = np.random.default_rng(1)
    wrong = [
        difference(list(draws.normal(size=4)), list(draws.normal(size=4))).is_told_apart
        for _ in range(2_000)
    ]
    assert 0.02 < np.mean([bool(x) for x in wrong]) < 0.06


def test_one_more_training_falls_into_its_interval_as_often_as_promised() -> None:
    draws = np.random.default_rng(2)
    inside = []
    for _ in range(2_000):
        *known, new = draws.normal(size=5)
        low, high = one_more(known)
        inside.append(low <= new <= high)
    assert 0.935 < np.mean(inside) < 0.965
    low, high = one_more([1.0, 3.0])  # mean 2, sd √2, t = 12.706, √1.5
    assert high - 2 == pytest.approx(12.706 * 2**0.5 * 1.5**0.5, rel=1e-4)
    assert low == pytest.approx(4 - high)
