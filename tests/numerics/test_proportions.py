"""Wilson's interval: solved from its equation, its symmetry, and how often it covers."""

import numpy as np
import pytest

from unslant.numerics.bootstrap import wilson_interval


@pytest.mark.parametrize(("successes", "total"), [(3, 10), (50, 80), (1, 500)])
def test_its_ends_are_where_the_share_is_z_standard_errors_away(successes: int, total: int) -> None:
    for end in wilson_interval(successes, total):
        error = (end * (1 - end) / total) ** 0.5
        assert abs(successes / total - end) == pytest.approx(1.959964 * error, rel=1e-5)


def test_failures_mirror_successes_and_the_ends_stay_within_0_and_1() -> None:
    low, high = wilson_interval(2, 9)
    assert wilson_interval(7, 9) == pytest.approx((1 - high, 1 - low))
    assert wilson_interval(0, 5)[0] == 0
    assert wilson_interval(5, 5)[1] == 1


def test_it_covers_the_truth_about_as_often_as_it_says() -> None:
    counts = np.random.default_rng(0).binomial(60, 0.9, size=2_000)
    ends = np.array([wilson_interval(int(count), 60) for count in counts])
    assert 0.92 < ((ends[:, 0] <= 0.9) & (ends[:, 1] >= 0.9)).mean() < 0.98


def test_what_is_no_share_is_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2 is not a valid share"):
        wilson_interval(3, 2)
    with pytest.raises(ValueError, match="0 of 0 is not a valid share"):
        wilson_interval(0, 0)
