"""The change of the NLI probe's measures, on the same resamples of words and templates."""

from dataclasses import replace

import numpy as np
import pytest

from tests.probes.small_sets import random_answers, small_set
from unslant.core.measurement import Measurement
from unslant.measures.change import change_of
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.measured import draws_for, measured
from unslant.probes.nli.neutrality import fraction_neutral, net_neutral
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.scores import measures_for


def pairs() -> PairSet:
    return small_set(9, 8, 12, hypothesis_groups={"male": (0, 2, 4, 6), "female": (1, 3, 5, 7)})


def moved(answers: Answers, share: float) -> Answers:
    """Answers that give a share of the rest to neutral."""
    found = answers.probabilities * np.float32(1 - share)
    found[..., 1] += np.float32(share)
    return Answers(answers.set, found)


def net(answers: Answers, **how: int) -> Measurement:
    [found] = measured([net_neutral(answers.set)], answers, **how)  # type: ignore[arg-type]
    return replace(found, better="larger")


def test_the_interval_of_a_change_uses_the_same_resamples_for_both() -> None:
    base = random_answers(pairs(), 2)
    new = moved(base, 0.1)
    found = change_of(net(new, seed=3, resamples=40), net(base, seed=3, resamples=40))
    drawn, differences, percents = draws_for(base.set, 3, 40), [], []
    for number in range(40):
        weights = np.einsum(
            "i,j,k->ijk",
            drawn.premises[number],
            drawn.hypotheses[number],
            drawn.contexts[number],
        )
        mine, theirs = (
            float((weights * one.probabilities[..., 1]).sum() / weights.sum())
            for one in (new, base)
        )
        differences.append(mine - theirs)
        percents.append(100 * (mine - theirs) / theirs)
    assert found.interval is not None
    assert found.percent_interval is not None
    for interval, values in ((found.interval, differences), (found.percent_interval, percents)):
        ends = tuple(np.quantile(values, [0.025, 0.975]))
        assert (interval.low, interval.high) == pytest.approx(ends, rel=1e-6)
    assert found.verdict == "better"


def test_nothing_changed_is_a_change_of_0_without_any_width() -> None:
    base = random_answers(pairs(), 4)
    for item in measured(measures_for(base.set), base, resamples=50):
        found = change_of(item, item)
        assert found.difference == found.percent == 0
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == (0, 0)


def test_a_paired_interval_is_narrower_than_the_interval_of_either_value() -> None:
    base = random_answers(pairs(), 5)
    alone = net(base)
    found = change_of(net(moved(base, 0.05)), alone)
    assert alone.interval is not None
    assert found.interval is not None
    width = found.interval.high - found.interval.low
    assert 0 < width < 0.2 * (alone.interval.high - alone.interval.low)


def test_a_baseline_of_0_has_no_percentage_but_a_difference() -> None:
    one = small_set(3, 3, 3)
    never = np.zeros((3, 3, 3, 3), dtype=np.float32)
    never[..., 0] = 1
    (now,), (before,) = (
        measured([fraction_neutral(one)], answers)
        for answers in (random_answers(one), Answers(one, never))
    )
    found = change_of(now, before)
    assert found.percent is None
    assert "is 0" in found.why_undefined
    assert found.difference == now.value
    assert now.value


def test_answers_to_different_sets_are_not_paired() -> None:
    found = change_of(net(random_answers(pairs())), net(random_answers(small_set(9, 8, 12))))
    assert (found.interval, found.verdict) == (None, "unknown")
