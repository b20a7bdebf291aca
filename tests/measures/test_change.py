"""The change from before to now, on the same resamples."""

import numpy as np
import pytest

import unslant as us
from unslant.core.measurement import Draws, Measurement
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.measures.change import change_of
from unslant.numerics.bootstrap import Indices, bca_interval


def measured(values: Array, better: str = "smaller", key: str = "k") -> Measurement:
    """The mean of values with its resamples, drawn as every metric of words draws them."""

    def mean(samples: tuple[Indices, ...]) -> Array:
        return np.asarray(values[samples[0]].mean(axis=1))

    found = bca_interval(mean, [len(values)], generator(0, "bootstrap", "test"))
    assert found is not None
    draws = Draws(key=key, values=found.draws, without=found.without, how="BCa bootstrap")
    return Measurement(value=float(values.mean()), better=better, draws=draws)


@pytest.fixture
def before() -> Array:
    return generator(1, "before").normal(1.0, 1.0, 12)


def test_the_interval_is_that_of_the_differences_resampled(before: Array) -> None:
    now = before - generator(2, "shift").uniform(0.1, 0.3, 12)

    def mean_difference(samples: tuple[Indices, ...]) -> Array:
        return np.asarray((now - before)[samples[0]].mean(axis=1))

    expected = bca_interval(mean_difference, [12], generator(0, "bootstrap", "test"))
    found = change_of(measured(now), measured(before))
    assert expected is not None
    assert expected.ends is not None
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(expected.ends)
    assert found.difference == pytest.approx((now - before).mean())
    assert found.verdict == "better"


def test_pairing_shows_a_small_change_that_separate_intervals_hide(before: Array) -> None:
    now = measured(before - generator(3, "small").uniform(0.05, 0.1, 12))
    first, second = measured(before), now
    assert np.quantile(second.draws.values, 0.975) > np.quantile(first.draws.values, 0.025)  # type: ignore[union-attr]
    assert change_of(now, first).verdict == "better"


def test_no_change_is_unclear_and_a_change_of_sign_alone_is_neither(before: Array) -> None:
    same = change_of(measured(before), measured(before))
    assert (same.difference, same.verdict) == (0.0, "unclear")
    flipped = change_of(
        measured(-before, better="closer to 0"), measured(before, better="closer to 0")
    )
    assert flipped.difference == pytest.approx(-2 * before.mean())
    assert flipped.verdict == "unclear"


def test_values_drawn_in_other_ways_have_no_interval(before: Array) -> None:
    found = change_of(measured(before - 1, key="other words"), measured(before))
    assert (found.interval, found.verdict) == (None, "unknown")
    assert found.difference == pytest.approx(-1.0)


def test_percent_needs_a_value_other_than_0() -> None:
    found = change_of(Measurement(value=0.5), Measurement(value=0.0))
    assert (found.difference, found.percent) == (0.5, None)


def test_an_undefined_value_has_no_change(before: Array) -> None:
    found = change_of(Measurement.undefined("no words"), measured(before))
    assert (found.difference, found.why_undefined) == (None, "no words")


def test_debiasing_real_vectors_makes_a_clear_change() -> None:
    vectors, gender = us.load(), us.concept("gender")
    after = us.debias("linear", vectors, gender)
    test = gender.test("career-family")
    found = change_of(*(us.measure("weat", space, test) for space in (after, vectors)))
    assert found.interval is not None
    assert found.interval.low < found.difference < found.interval.high  # type: ignore[operator]
    assert found.verdict in ("better", "unclear")


@pytest.mark.parametrize(
    ("better", "start", "verdict"),
    [
        ("larger", 0.8, "worse"),  # a quality that falls is lost
        ("smaller", 0.8, "better"),
        ("closer to 0", 0.8, "better"),
        ("closer to 0", -0.2, "worse"),
        ("closer to 1", 0.8, "worse"),
    ],
)
def test_a_value_that_falls_is_better_only_where_less_is(
    better: str, start: float, verdict: str
) -> None:
    before = start + generator(5, "values").normal(0, 0.05, 12)
    now = before - generator(6, "loss").uniform(0.2, 0.3, 12)
    change = change_of(measured(now, better), measured(before, better))
    assert change.interval is not None
    assert change.interval.high < 0
    assert change.verdict == verdict
