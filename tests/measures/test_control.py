"""Random directions: which way is better, what counts as as good, and where the value lies."""

import numpy as np
import pytest

from unslant.core.measurement import Measurement
from unslant.core.record import Control
from unslant.measures.change import control_of


def control(better: str, value: float, *values: float) -> Control:
    found = control_of(
        Measurement(value=value, better=better), [Measurement(value=one) for one in values], 2
    )
    assert found is not None
    assert found.p is not None
    assert found.p.outcomes == len(values) + 1
    return found


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
    found = control(better, value, *controls)
    assert found.p is not None
    assert found.p.value == pytest.approx((as_good + 1) / (len(controls) + 1))


@pytest.mark.parametrize("better", ["larger", "smaller", "closer to 0.5", "closer to 0"])
def test_a_control_that_ties_counts_as_as_good(better: str) -> None:
    # By definition p is the share that does at least as well; without ties p would be too small.
    almost = np.nextafter(0.25, (0, 1)).tolist()  # equal but for the rounding of sums
    for values in ([0.25] * 3, almost):
        found = control(better, 0.25, *values)
        assert found.p is not None
        assert found.p.value == 1


def test_it_says_where_the_value_lies_among_random_directions() -> None:
    values = np.random.default_rng(0).normal(0.5, 0.1, 8)
    found = control("larger", 0.9, *values)
    assert (found.mean, found.sd) == pytest.approx((values.mean(), values.std(ddof=1)))
    assert found.deviations == pytest.approx((0.9 - values.mean()) / values.std(ddof=1))
    assert found.p is not None
    assert (found.p.value, found.p.alternative, found.directions) == (1 / 9, "greater", 2)
    assert found.values == tuple(values)


def test_one_control_has_no_spread_and_equal_ones_no_deviations() -> None:
    assert control("larger", 0.5, 0.4).sd is None
    assert control("larger", 0.5, 0.4, 0.4, 0.4).deviations is None


def test_there_is_no_control_of_what_is_undefined_or_without_controls() -> None:
    gone, there = Measurement.undefined("no words"), Measurement(value=0.5, better="larger")
    assert control_of(gone, [there], 1) is None
    assert control_of(there, [there, gone], 1) is None
    assert control_of(there, [], 1) is None
