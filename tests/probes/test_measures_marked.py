"""Marked attribute bias: by hand, by loops, its bounds, its invariances and its p-value."""

from itertools import combinations

import numpy as np
import pytest

from tests.probes.small_sets import random_answers, small_set
from unslant.core.errors import UndefinedMeasureError
from unslant.core.measurement import Measurement
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.marked import marked_distance, partition_test
from unslant.probes.nli.measured import draws_for, measured
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.scores import measures_of

GROUPS = {"male": (0, 2, 4, 6), "female": (1, 3, 5, 7)}
KINDS = {"nouns": (0, 1, 2, 3, 4, 5), "pronouns": (6, 7)}


def eight_words() -> PairSet:
    return small_set(("person",), 8, 5, family="marked", hypothesis_groups=GROUPS, kinds=KINDS)


def by_name(answers: Answers, resamples: int = 1_000) -> dict[str, Measurement]:
    return {record.metric: record for record in measures_of(answers, resamples=resamples)}


def test_two_words_in_two_contexts_worked_out_by_hand() -> None:
    pairs = small_set(1, 2, 2, family="marked", hypothesis_groups={"m": (0,), "f": (1,)})
    # e n c: the man is (.6 .4 0) and (0 1 0), the woman (0 1 0) twice
    rows = [[[[0.6, 0.4, 0.0], [0.0, 1.0, 0.0]], [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]]]
    found = by_name(Answers(pairs, np.array(rows, dtype=np.float32)))
    # (1,0,0) − (.4,.6,0) has the length .6 √2; the mean is a fourth of it
    assert found["marked-error"].value == pytest.approx(0.6 * 2**0.5 / 4, rel=1e-6)
    # mean (n, e, c) is (.7, .3, 0) and (1, 0, 0)
    distance = found["marked-distance"]
    assert distance.value == pytest.approx(0.3 * 2**0.5, rel=1e-6)
    assert distance.details["n-of-m"] == pytest.approx(0.7, rel=1e-6)
    assert distance.details["e-of-m"] == pytest.approx(0.3, rel=1e-6)
    assert distance.details["c-of-f"] == 0


def test_nouns_and_pronouns_are_reported_together_and_apart() -> None:
    answers = random_answers(eight_words(), 1)
    found = by_name(answers)
    assert list(found) == [
        "marked-error",
        "marked-distance",
        "marked-error-nouns",
        "marked-distance-nouns",
        "marked-error-pronouns",
        "marked-distance-pronouns",
    ]
    for name, places in (("", range(8)), ("-nouns", range(6)), ("-pronouns", (6, 7))):
        errors, means = [], {}
        for group, members in GROUPS.items():
            chosen = [place for place in members if place in places]
            rows = [row for place in chosen for row in answers.probabilities[0, place].tolist()]
            errors += [((1 - n) ** 2 + e * e + c * c) ** 0.5 for e, n, c in rows]
            means[group] = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        between = sum((a - b) ** 2 for a, b in zip(means["male"], means["female"], strict=True))
        assert found[f"marked-error{name}"].value == pytest.approx(np.mean(errors), rel=1e-9)
        assert found[f"marked-distance{name}"].value == pytest.approx(between**0.5, rel=1e-9)
    assert found["marked-distance-nouns"].words[1].used == tuple(f"h{i}" for i in range(6))


def test_kinds_that_are_not_spread_alike_are_only_reported_apart() -> None:
    kinds = {"nouns": (0, 1, 2), "pronouns": (3,)}
    groups = {"male": (0, 2), "female": (1, 3)}
    pairs = small_set(1, 4, 3, family="marked", hypothesis_groups=groups, kinds=kinds)
    assert list(by_name(random_answers(pairs))) == [
        "marked-error-nouns",
        "marked-distance-nouns",
        "marked-error-pronouns",
    ]


def test_the_error_lies_between_0_and_the_root_of_2() -> None:
    pairs = eight_words()
    for label, error in ((0, 2**0.5), (1, 0.0), (2, 2**0.5)):
        rows = np.zeros((1, 8, 5, 3), dtype=np.float32)
        rows[..., label] = 1
        record = by_name(Answers(pairs, rows))["marked-error"]
        assert record.value == pytest.approx(error, abs=1e-12)
    for seed in range(20):
        value = by_name(random_answers(pairs, seed), resamples=0)["marked-error"].value
        assert value is not None
        assert 0 < value < 2**0.5


def test_swapping_the_groups_changes_neither_the_distance_nor_its_p_value() -> None:
    pairs = eight_words()
    answers = random_answers(pairs, 3)
    swapped = small_set(
        ("person",),
        8,
        5,
        family="marked",
        hypothesis_groups={"male": GROUPS["female"], "female": GROUPS["male"]},
        kinds=KINDS,
    )
    one = by_name(answers)["marked-distance"]
    other = by_name(Answers(swapped, answers.probabilities))["marked-distance"]
    assert one.value == pytest.approx(other.value, rel=1e-12)
    assert one.p == other.p


def test_of_three_groups_the_largest_distance_counts_and_is_named() -> None:
    groups = {"a": (0, 1), "b": (2, 3), "c": (4, 5)}
    pairs = small_set(1, 6, 4, family="marked", hypothesis_groups=groups)
    answers = random_answers(pairs, 4)
    record = by_name(answers)["marked-distance"]
    means = {
        name: answers.probabilities[0, list(places)].astype(float).mean(axis=(0, 1))
        for name, places in groups.items()
    }
    apart = {(a, b): float(np.linalg.norm(means[a] - means[b])) for a, b in combinations(groups, 2)}
    a, b = max(apart, key=lambda couple: apart[couple])
    assert record.value == pytest.approx(apart[a, b], rel=1e-9)
    assert record.details["groups"] == f"3; the largest distance, between {a} and {b}"
    assert record.p is not None
    assert record.p.how == "monte carlo"


def test_the_interval_of_the_distance_is_that_of_drawing_words_by_index() -> None:
    pairs = eight_words()
    answers = random_answers(pairs, 5)
    (record,) = measured([marked_distance(pairs)], answers, seed=2, resamples=50)
    drawn, found = draws_for(pairs, 2, 50), answers.probabilities[0].astype(float)
    values = []
    for number in range(50):
        layers = np.repeat(np.arange(5), drawn.contexts[number])
        means = []
        for places in GROUPS.values():
            words = np.repeat(places, drawn.hypotheses[number][list(places)])
            means.append(found[np.ix_(words, layers)].mean(axis=(0, 1)))
        values.append(np.linalg.norm(means[0] - means[1]))
    assert record.interval is not None
    assert (record.interval.low, record.interval.high) == pytest.approx(
        tuple(np.quantile(values, [0.025, 0.975])), rel=1e-9
    )


def test_a_value_outside_its_interval_is_pointed_out() -> None:
    pairs = small_set(1, 2, 40, family="marked", hypothesis_groups={"m": (0,), "f": (1,)})
    rows = np.random.default_rng(0).dirichlet([1, 1, 1], size=(1, 1, 40))
    # The same answers in other contexts: no distance, but in nearly every resample there is one.
    both = np.concatenate([rows, rows[:, :, ::-1]], axis=1).astype(np.float32)
    record = by_name(Answers(pairs, both))["marked-distance"]
    assert record.value == pytest.approx(0, abs=1e-12)
    assert record.interval is not None
    assert record.interval.low > 0.001
    assert any("outside its interval" in warning for warning in record.warnings)
    apart = by_name(random_answers(eight_words(), 1))["marked-error"]
    assert not any("outside" in warning for warning in apart.warnings)


def test_the_exact_p_value_is_the_share_of_all_partitions() -> None:
    words = np.random.default_rng(6).random((7, 3))
    groups = [[0, 2, 4], [1, 3, 5, 6]]

    def apart(first: tuple[int, ...]) -> float:
        rest = [place for place in range(7) if place not in first]
        return float(np.linalg.norm(words[list(first)].mean(axis=0) - words[rest].mean(axis=0)))

    every = [apart(first) for first in combinations(range(7), 3)]
    p, said, warnings = partition_test(words, groups, 0, "test")
    assert p is not None
    assert p.value == pytest.approx(np.mean(np.array(every) >= apart((0, 2, 4)) - 1e-12))
    assert (p.how, p.outcomes, warnings) == ("exact", 35, ())
    assert said["smallest-possible-p"] == 1 / 35


def test_p_is_never_0_however_far_apart_the_groups_are() -> None:
    words = np.repeat([[0.0, 0, 1], [1, 0, 0]], 16, axis=0)
    p, _, _ = partition_test(words, [range(16), range(16, 32)], 0, "test")
    assert p is not None
    assert (p.value, p.how, p.is_floor) == (1 / 10_001, "monte carlo", True)
    few, _, warnings = partition_test(words[13:19], [range(3), range(3, 6)], 0, "test")
    assert few is not None
    assert few.value == 2 / 20
    assert "cannot give a p-value below 0.1" in warnings[0]


def test_p_is_about_uniform_where_the_groups_do_not_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unslant.probes.nli.marked.PARTITIONS", 499)
    rng = np.random.default_rng(7)
    values = []
    for number in range(300):
        p, _, _ = partition_test(rng.random((24, 3)), [range(12), range(12, 24)], number, "null")
        assert p is not None
        values.append(p.value)
    assert 0.44 < np.mean(values) < 0.56
    assert 0.04 < np.mean(np.array(values) <= 0.1) < 0.16
    assert min(values) > 0
    exact = [
        partition_test(rng.random((10, 3)), [range(5), range(5, 10)], 0, "null")[0]
        for _ in range(300)
    ]
    assert np.mean([p.value <= 0.05 for p in exact if p]) <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_equal_words_give_p_1() -> None:
    p, _, _ = partition_test(np.full((8, 3), 1 / 3), [range(4), range(4, 8)], 0, "test")
    assert p is not None
    assert p.value == 1


def test_one_word_in_each_group_has_no_p_value_and_says_so() -> None:
    record = by_name(random_answers(eight_words(), 9))["marked-distance-pronouns"]
    assert record.p is None
    assert any("No p-value" in warning for warning in record.warnings)
    assert any("keeps the 2 hypothesis words" in warning for warning in record.warnings)


def test_a_word_in_two_groups_and_a_set_without_groups_are_refused() -> None:
    p, _, warnings = partition_test(np.ones((3, 3)), [[0, 1], [1, 2]], 0, "test")
    assert p is None
    assert "two groups" in warnings[0]
    with pytest.raises(UndefinedMeasureError, match="needs two groups"):
        marked_distance(small_set(1, 4, 2, family="marked"))


def test_the_note_on_single_words_is_true_for_groups_and_kinds() -> None:
    pairs = small_set(
        3,
        4,
        family="marked",
        hypothesis_groups={"male": (0, 1), "female": (2, 3)},
        kinds={"nouns": (0, 2), "pronouns": (1, 3)},
    )
    found = measures_of(random_answers(pairs), resamples=20)
    notes = {note for item in found for note in item.warnings if "keeps" in note}
    assert notes
    assert all("each is the only one of its group and kind" in note for note in notes)
