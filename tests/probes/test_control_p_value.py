"""The p-value against random directions: which way is better, and what counts as as good."""

import numpy as np
import pytest

from unslant.probes.nli.control import _p_value


@pytest.mark.parametrize(
    ("better", "value", "controls", "as_good"),
    [
        ("larger", 0.6, (0.5, 0.7), 1),
        ("smaller", 0.6, (0.5, 0.7), 1),
        ("closer to 0.5", 0.4, (0.7, 0.55, 0.2, 0.45), 2),
        ("closer to 0.5", 0.9, (0.2, 0.7, 0.05, 0.95), 2),
        ("closer to 0", -0.2, (0.1, -0.1, 0.3, -0.3), 2),
        ("closer to 0", 0.2, (0.2, -0.2, 0.3, -0.3), 2),
    ],
)
def test_a_control_is_as_good_by_the_better_side(
    better: str, value: float, controls: tuple[float, ...], as_good: int
) -> None:
    found = _p_value(value, np.array(controls), better)
    assert found.value == pytest.approx((as_good + 1) / (len(controls) + 1))
    assert found.outcomes == len(controls) + 1


@pytest.mark.parametrize("better", ["larger", "smaller", "closer to 0.5", "closer to 0"])
def test_a_control_that_ties_counts_as_as_good(better: str) -> None:
    # By definition p is the share that does at least as well; without ties p would be too small.
    assert _p_value(0.25, np.array([0.25, 0.25, 0.25]), better).value == 1
    almost = np.nextafter(0.25, (0, 1))  # equal but for the rounding of sums
    assert _p_value(0.25, almost, better).value == 1
