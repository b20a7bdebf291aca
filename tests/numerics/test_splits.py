"""Counting splits without listing them: bounds that hold, against full lists."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.numerics.permutation import share_of_splits_at_least, subset_sums

numbers = st.floats(-1e3, 1e3).filter(lambda x: x == 0 or abs(x) > 1e-6)


@settings(max_examples=150, deadline=None)
@given(st.lists(numbers, min_size=2, max_size=11), st.data())
def test_the_bounds_enclose_the_share_found_by_listing(
    values: list[float], data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(values) - 1))
    sums = np.array([sum(chosen) for chosen in combinations(values, size)])
    threshold = data.draw(st.sampled_from(sums.tolist()) | numbers)
    found = share_of_splits_at_least(np.array(values), size, threshold)
    assert found is not None
    slack = 1e-9 * max(1.0, np.abs(values).max()) * size  # sums in another order round otherwise
    assert found.low <= (sums >= threshold - slack).mean() + 1e-12
    assert found.high >= (sums >= threshold + slack).mean() - 1e-12


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.001])
def test_the_bounds_are_close_for_18_numbers(share: float) -> None:
    values = np.random.default_rng(0).normal(size=18)
    sums = subset_sums(values, 9)
    threshold = float(np.quantile(sums, 1 - share))
    found = share_of_splits_at_least(values, 9, threshold)
    assert found is not None
    assert found.low <= (sums >= threshold).mean() <= found.high
    assert found.error <= 0.01 * share


def test_whole_numbers_are_counted_exactly_as_by_the_rank_sum_distribution() -> None:
    # Choosing 3 of the ranks 1..6: sums 6..15, of which 3 of 20 are at least 14.
    found = share_of_splits_at_least(np.arange(1.0, 7.0), 3, 13.5)
    assert found is not None
    assert found.low == found.high == pytest.approx(2 / 20)


def test_equal_numbers_have_one_sum() -> None:
    values = np.full(10, 0.5)
    at, above = (share_of_splits_at_least(values, 5, t) for t in (2.5, 2.6))
    assert at is not None
    assert above is not None
    assert (at.low, above.high) == (1.0, 0.0)


def test_too_much_work_is_not_begun() -> None:
    assert share_of_splits_at_least(np.arange(3000.0), 1500, 0.0) is None
