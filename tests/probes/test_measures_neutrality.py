"""Net neutral, fraction neutral and thresholds: by hand, by loops, and their intervals."""

import numpy as np
import pytest

from tests.probes.small_sets import random_answers, small_set
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.measurement import Measurement
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.measured import draws_for, measured
from unslant.probes.nli.neutrality import neutrality
from unslant.probes.nli.scores import measures_for, measures_of

# entailment, neutral, contradiction of 2 premises × 2 hypotheses × 2 contexts
BY_HAND = [
    [[[0.1, 0.8, 0.1], [0.4, 0.4, 0.2]], [[0.3, 0.5, 0.2], [0.6, 0.3, 0.1]]],
    [[[0.0, 1.0, 0.0], [0.2, 0.3, 0.5]], [[0.1, 0.7, 0.2], [0.25, 0.5, 0.25]]],
]


def by_name(records: list[Measurement]) -> dict[str, Measurement]:
    return {record.metric: record for record in records}


def test_the_measures_of_eight_pairs_worked_out_by_hand() -> None:
    answers = Answers(small_set(), np.array(BY_HAND, dtype=np.float32))
    found = by_name(measures_of(answers))
    # n: .8 .4 .5 .3 1 .3 .7 .5, which sum to 4.5
    assert found["nli-net-neutral"].value == pytest.approx(4.5 / 8, abs=1e-7)
    # largest in .8, .4 (a tie, which counts), .5, 1, .7, .5
    assert found["nli-fraction-neutral"].value == 6 / 8
    # above .5 are .8, 1 and .7, and .5 is not; above .7 are .8 and 1, and .7 is not
    assert found["nli-threshold-0.5"].value == 3 / 8
    assert found["nli-threshold-0.7"].value == 2 / 8
    assert list(found) == [
        "nli-net-neutral",
        "nli-fraction-neutral",
        "nli-threshold-0.5",
        "nli-threshold-0.7",
    ]


def test_thresholds_are_compared_before_anything_is_averaged() -> None:
    pairs = small_set(1, 1, 2)
    answers = Answers(pairs, np.array([[[[0, 1, 0], [0.8, 0.2, 0]]]], dtype=np.float32))
    (found,) = measured(neutrality(pairs, (0.55,))[2:], answers)
    assert found.value == 0.5  # the average of the two, .6, would be above


@pytest.mark.parametrize("same_word", [True, False])
def test_they_agree_with_loops_over_all_pairs(same_word: bool) -> None:
    words = ("a", "b", "c", "d")
    pairs = small_set(words, ("c", "x", "a"), 5, same_word=same_word)
    answers = random_answers(pairs, 1)
    net, fraction, above, size = 0.0, 0, 0, 0
    for i, premise in enumerate(pairs.premise_words):
        for j, hypothesis in enumerate(pairs.hypothesis_words):
            for k in range(5):
                if not same_word and premise == hypothesis:
                    continue
                e, n, c = answers.probabilities[i, j, k].tolist()
                net, size = net + n, size + 1
                fraction += n == max(e, n, c)
                above += n > 0.4
    records = measures_of(answers, thresholds=(0.4,))
    assert [record.value for record in records] == pytest.approx(
        [net / size, fraction / size, above / size], rel=1e-12
    )
    assert records[0].details["pairs"] == size == len(pairs)


def test_the_three_intervals_are_those_of_drawing_words_and_templates_by_index() -> None:
    pairs = small_set(5, 4, 6, hypothesis_groups={"male": (0, 2), "female": (1, 3)})
    answers = random_answers(pairs, 2)
    record = by_name(measures_of(answers, seed=7, resamples=60))["nli-net-neutral"]
    drawn, neutral = draws_for(pairs, 7, 60), answers.probabilities[..., 1].astype(float)
    values: dict[str, list[float]] = {"words": [], "templates": [], "both": []}
    for number in range(60):
        rows, columns, layers = (
            np.repeat(np.arange(len(counts[number])), counts[number])
            for counts in (drawn.premises, drawn.hypotheses, drawn.contexts)
        )
        values["words"].append(neutral[rows][:, columns].mean())
        values["templates"].append(neutral[:, :, layers].mean())
        values["both"].append(neutral[np.ix_(rows, columns, layers)].mean())
    low, high = np.quantile(values["both"], [0.025, 0.975])
    assert record.interval is not None
    assert (record.interval.low, record.interval.high) == pytest.approx((low, high), rel=1e-12)
    assert record.interval.how == "percentile bootstrap over words and templates"
    for over in ("words", "templates"):
        bounds = [record.details[f"{end}-over-{over}"] for end in ("low", "high")]
        assert bounds == pytest.approx(np.quantile(values[over], [0.025, 0.975]), rel=1e-12)


def test_a_resample_never_loses_a_group_or_a_kind() -> None:
    pairs = small_set(
        3,
        6,
        4,
        hypothesis_groups={"male": (0, 2, 4), "female": (1, 3, 5)},
        kinds={"nouns": (0, 1, 2, 3), "pronouns": (4, 5)},
    )
    drawn = draws_for(pairs, 0, 300).hypotheses
    assert (drawn[:, [0, 2]].sum(axis=1) == 2).all()
    assert (drawn[:, [1, 3]].sum(axis=1) == 2).all()
    assert (drawn[:, [4, 5]] == 1).all()


def test_the_same_seed_gives_the_same_record_and_the_batch_does_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = random_answers(small_set(6, 5, 9), 3)
    first = measures_of(answers, seed=1, resamples=50)
    assert first == measures_of(answers, seed=1, resamples=50)
    assert first[0].interval != measures_of(answers, seed=2, resamples=50)[0].interval
    monkeypatch.setattr("unslant.probes.nli.measured._BATCH_BYTES", 5_000)
    again = measures_of(answers, seed=1, resamples=50)
    for one, other in zip(first, again, strict=True):
        assert one.interval is not None
        assert other.interval is not None
        assert one.interval.low == pytest.approx(other.interval.low, rel=1e-12)


def test_a_measurement_carries_its_words_its_points_and_its_draws() -> None:
    pairs = small_set(3, 9, 4)
    record = measures_of(random_answers(pairs), seed=5, resamples=100)[0]
    assert record.draws is not None
    assert len(record.draws.values) == 100
    assert record.effective_words == (pairs.premise_words, pairs.hypothesis_words)
    assert len(record.points) == 3 + 9
    assert Measurement.from_dict(record.to_dict()) == record


def test_few_words_are_said_to_make_a_rough_interval() -> None:
    groups = {"male": (0, 2, 4), "female": (1, 3, 5)}
    record = measures_of(random_answers(small_set(9, 6, 4, hypothesis_groups=groups)))[0]
    # three words drawn three times: 3 · (1 − (2/3)³) = 2.11 of each group
    assert record.warnings == (
        "The interval is rough, and rather too narrow: it rests on 6 hypothesis words, of which "
        "a resample has 4.2 different ones on average.",
    )
    assert not measures_of(random_answers(small_set(9, 8, 4)))[0].warnings
    assert not measures_of(random_answers(small_set(1, 8, 4)))[0].warnings


def test_a_side_of_one_word_is_kept_and_no_resamples_mean_no_interval() -> None:
    answers = random_answers(small_set(1, 1, 6))
    record = measures_of(answers, resamples=200)[0]
    assert record.details["low-over-words"] == pytest.approx(record.value, rel=1e-12)
    assert record.interval is not None
    assert record.interval.low < record.interval.high
    assert measures_of(answers, resamples=0)[0].interval is None
    assert measures_of(answers, resamples=0)[0].value == record.value


def test_a_set_whose_pairs_do_not_count_has_no_value_and_says_why() -> None:
    answers = random_answers(small_set(("a",), ("a",), 3, same_word=False))
    for record in measures_of(answers, resamples=20):
        assert record.value is None
        assert "no pair" in record.why_undefined


def test_bad_thresholds_and_families_are_refused() -> None:
    answers = random_answers(small_set())
    for threshold in (-0.1, 1.0, float("nan")):
        with pytest.raises(UnslantError, match="less than 1"):
            measures_of(answers, thresholds=(threshold,))
    with pytest.raises(UnknownNameError, match='Did you mean "marked"'):
        measures_for(answers.set, family="market")
