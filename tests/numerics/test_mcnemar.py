"""McNemar's exact test is the binomial one, and its p-value is never 0."""

import pytest
from scipy.stats import binomtest

from unslant.numerics.mcnemar import mcnemar


@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 1), (3, 3), (1, 9), (24, 243), (60, 41)])
def test_it_is_the_two_sided_binomial_test_of_a_fair_coin(first: int, second: int) -> None:
    total = first + second
    expected = binomtest(first, total, 0.5).pvalue if total else 1.0
    assert mcnemar(first, second).p_value == pytest.approx(expected, rel=1e-9)
    assert mcnemar(second, first).p_value == mcnemar(first, second).p_value


def test_a_value_too_small_for_a_number_is_a_bound() -> None:
    found = mcnemar(8_192, 0)
    assert 0 < found.p_value <= 1e-300
    assert found.error == found.p_value
    assert found.outcomes == 2**53
    assert mcnemar(2, 3).outcomes == 32
