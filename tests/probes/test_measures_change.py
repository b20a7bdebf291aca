"""Change against a baseline and against random directions."""

import numpy as np
import pytest

from tests.probes.small_sets import random_answers, small_set
from unslant.core.errors import UnslantError
from unslant.probes.nli import against_controls, changes, measured, measures_for
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.draws import draws_for
from unslant.probes.nli.marked import marked_error
from unslant.probes.nli.neutrality import fraction_neutral, net_neutral
from unslant.probes.nli.pairset import PairSet


def pairs() -> PairSet:
    return small_set(9, 8, 12, hypothesis_groups={"male": (0, 2, 4, 6), "female": (1, 3, 5, 7)})


def moved(answers: Answers, share: float) -> Answers:
    """Answers that give a share of the rest to neutral."""
    found = answers.probabilities * np.float32(1 - share)
    found[..., 1] += np.float32(share)
    return Answers(answers.set, found, {"vectors": "moved"})


def test_a_change_is_in_percent_of_the_baseline() -> None:
    base = random_answers(pairs(), 1)
    [found] = changes([net_neutral(base.set)], moved(base, 0.2), base)
    (old,), (new,) = (measured([net_neutral(base.set)], one) for one in (base, moved(base, 0.2)))
    assert old.value is not None
    assert new.value is not None
    assert found.value == pytest.approx(100 * (new.value - old.value) / old.value, rel=1e-9)
    assert found.details["difference"] == pytest.approx(new.value - old.value, rel=1e-9)
    assert found.metric == "nli-net-neutral-change"
    assert found.better == "larger"
    assert found.inputs["vectors"] == "moved"


def test_the_interval_of_a_change_uses_the_same_resamples_for_both() -> None:
    base = random_answers(pairs(), 2)
    new = moved(base, 0.1)
    [found] = changes([net_neutral(base.set)], new, base, seed=3, resamples=40)
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
    assert (found.interval.low, found.interval.high) == pytest.approx(
        tuple(np.quantile(percents, [0.025, 0.975])), rel=1e-6
    )
    assert (found.details["low of difference"], found.details["high of difference"]) == (
        pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])), rel=1e-6)
    )


def test_nothing_changed_is_a_change_of_0_without_any_width() -> None:
    base = random_answers(pairs(), 4)
    for measure in measures_for(base.set):
        [found] = changes([measure], base, base, resamples=50)
        assert found.value == 0
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == (0, 0)


def test_a_paired_interval_is_narrower_than_the_interval_of_either_value() -> None:
    base = random_answers(pairs(), 5)
    [found] = changes([net_neutral(base.set)], moved(base, 0.05), base)
    (alone,) = measured([net_neutral(base.set)], base)
    assert alone.interval is not None
    width = float(found.details["high of difference"] or 0) - float(
        found.details["low of difference"] or 0
    )
    assert 0 < width < 0.2 * (alone.interval.high - alone.interval.low)


def test_a_baseline_of_0_has_no_percentage_but_a_difference() -> None:
    one = small_set(3, 3, 3)
    never = np.zeros((3, 3, 3, 3), dtype=np.float32)
    never[..., 0] = 1
    [found] = changes([fraction_neutral(one)], random_answers(one), Answers(one, never))
    assert found.value is None
    assert "is 0" in found.why_undefined
    assert float(found.details["difference"] or 0) > 0
    assert found.details["baseline value"] == 0


def test_answers_to_different_sets_are_not_compared() -> None:
    one, other = random_answers(pairs()), random_answers(small_set(9, 8, 12))
    with pytest.raises(UnslantError, match="different sets"):
        changes([net_neutral(one.set)], one, other)
    with pytest.raises(UnslantError, match="different sets"):
        against_controls([net_neutral(one.set)], one, [one, other])


def test_a_control_says_where_the_value_lies_among_random_directions() -> None:
    controls = [random_answers(pairs(), seed) for seed in range(8)]
    better = moved(controls[0], 0.5)
    [found] = against_controls([net_neutral(better.set)], better, controls)
    values = [float(one.probabilities[..., 1].astype(float).mean()) for one in controls]
    mean, spread = np.mean(values), np.std(values, ddof=1)
    assert found.value == pytest.approx(better.probabilities[..., 1].astype(float).mean())
    assert found.details["mean of the controls"] == pytest.approx(mean)
    assert found.details["standard deviation of the controls"] == pytest.approx(spread)
    assert found.details["deviations from the controls"] == pytest.approx(
        ((found.value or 0) - mean) / spread, rel=1e-6
    )
    assert (found.details["controls below"], found.details["controls above"]) == (8, 0)
    assert found.p is not None
    assert (found.p.value, found.p.alternative) == (1 / 9, "greater")
    assert [point["value"] for point in found.points] == pytest.approx(values)
    assert found.parameters["controls"] == 8


def test_where_smaller_is_better_a_control_that_is_smaller_is_as_good() -> None:
    controls = [random_answers(pairs(), seed) for seed in range(4)]
    measure = marked_error(pairs())
    [best] = against_controls([measure], moved(controls[0], 0.5), controls)
    [worst] = against_controls([measure], controls[0], [moved(c, 0.5) for c in controls])
    assert best.p is not None
    assert best.p.value == 0.2
    assert worst.p is not None
    assert worst.p.value == 1


def test_one_control_has_no_spread_and_none_are_refused() -> None:
    base = random_answers(pairs())
    [found] = against_controls([net_neutral(base.set)], base, [base])
    assert found.details["standard deviation of the controls"] is None
    assert found.details["deviations from the controls"] is None
    [same] = against_controls([net_neutral(base.set)], base, [base, base, base])
    assert same.details["deviations from the controls"] is None
    with pytest.raises(UnslantError, match="at least one"):
        against_controls([net_neutral(base.set)], base, [])
