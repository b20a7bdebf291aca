"""Attention over a union, mixed from attention over its groups."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.models.nli.grid import log_total_and_weights, share_of_second

SCORES = st.lists(st.floats(-300, 300), min_size=1, max_size=6)


def mean(scores: list[float], values: list[float]) -> float:
    powers = [math.exp(score - max(scores)) for score in scores]
    return sum(p * v for p, v in zip(powers, values, strict=True)) / sum(powers)


@given(SCORES, SCORES, st.integers(0, 100))
def test_two_groups_mixed_are_their_union(first: list[float], second: list[float], n: int) -> None:
    values = np.random.default_rng(n).normal(size=len(first) + len(second))
    parts = [log_total_and_weights(np.array(scores)) for scores in (first, second)]
    means = [
        float(weights @ part)
        for (_, weights), part in zip(parts, np.split(values, [len(first)]), strict=True)
    ]
    share = float(share_of_second(parts[0][0], parts[1][0]))
    mixed = (1 - share) * means[0] + share * means[1]
    assert mixed == pytest.approx(mean(first + second, values.tolist()), abs=2e-6)


def test_scores_of_minus_infinity_take_no_part() -> None:
    scores = np.array([[1.0, -np.inf, 1.0], [-np.inf, -np.inf, -np.inf]])
    log_totals, weights = log_total_and_weights(scores)
    assert log_totals[0] == pytest.approx(1 + math.log(2))
    assert weights.tolist() == [[0.5, 0.0, 0.5], [0.0, 0.0, 0.0]]
    assert log_totals[1] == -np.inf


def test_a_group_without_members_gets_no_attention() -> None:
    nobody, weights = log_total_and_weights(np.empty((2, 0)))
    assert weights.shape == (2, 0)
    assert share_of_second(np.array([3.0, -800.0]), nobody).tolist() == [0.0, 0.0]
    assert share_of_second(nobody, np.array([3.0, -800.0])).tolist() == [1.0, 1.0]
