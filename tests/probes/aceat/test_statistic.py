"""ACEAT on constructed vectors: equal to plain loops, uniform without bias, signs as stated."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest

from tests.probes.aceat.constructed import (
    SENTENCES,
    TABLE,
    Tokens,
    corpus,
    plain_associations,
    plain_effect,
    tagged,
)
from unslant.concepts.name_table import NameTable
from unslant.core.exhibits import Points
from unslant.core.measurement import Measurement
from unslant.measures.setting import Findings, Setting
from unslant.probes.aceat.cosines import Sums
from unslant.probes.aceat.groups import Associations, Procedure, measured
from unslant.probes.aceat.probe import Aceat

GENDER = (("Ada", "Bea", "Flo", "Hal"), ("Cy Lou", "Dan", "Eli", "Gus"))


def found(encoder: Tokens, asked: Any = None, **options: Any) -> Findings:
    return Aceat(**{"resamples": 200, **options}).run(encoder, asked or corpus(), Setting())


def by_name(findings: Findings) -> dict[str, Measurement]:
    return {item.metric: item for item in findings.measurements}


@pytest.mark.parametrize("seed", range(4))
def test_the_effect_equals_the_one_in_plain_loops(seed: int) -> None:
    encoder = Tokens(seed)
    m = plain_associations(encoder, SENTENCES, TABLE.names)
    results = by_name(found(encoder))
    xs, ys = GENDER
    gender = results["aceat-gender"]
    assert gender.value == pytest.approx(plain_effect(m, xs, ys), abs=1e-12)
    s = sum(m[x] for x in xs) - sum(m[y] for y in ys)
    assert gender.details["test-statistic-s"] == pytest.approx(s, abs=1e-12)
    pooled = [m[name] for name in (*xs, *ys)]
    extreme = 0
    for chosen in combinations(range(8), 4):
        rest = [place for place in range(8) if place not in chosen]
        other = sum(pooled[place] for place in chosen) - sum(pooled[place] for place in rest)
        extreme += abs(other) >= abs(s) - 1e-12
    assert gender.p is not None
    assert (gender.p.how, gender.p.outcomes) == ("exact", 70)
    assert gender.p.value == pytest.approx(extreme / 70)
    pair = results["aceat-pair-gender-x-race-f-x-a-m-x-b"]
    assert pair.value == pytest.approx(plain_effect(m, ("Ada", "Flo"), ("Dan", "Gus")), abs=1e-12)


def test_four_groups_give_the_share_between_them_and_six_pairs() -> None:
    encoder = Tokens(1)
    m = plain_associations(encoder, SENTENCES, TABLE.names)
    results = by_name(found(encoder))
    groups = TABLE.groups("gender × race")
    mean = sum(m.values()) / 8
    between = sum(
        len(names) * (sum(m[name] for name in names) / len(names) - mean) ** 2
        for names in groups.values()
    )
    share = results["aceat-groups-gender-x-race"]
    assert share.value == pytest.approx(between / sum((v - mean) ** 2 for v in m.values()))
    assert share.details["expected-by-chance"] == pytest.approx(3 / 7)
    assert sum(name.startswith("aceat-pair-") for name in results) == 6
    assert [name for name in results if name.count("-") == 1] == ["aceat-gender", "aceat-race"]


@pytest.mark.parametrize(
    ("fault", "formula"),
    [("divided twice", "published"), ("distance", "released-code"), ("padding", "")],
)
def test_each_published_fault_would_change_the_result(fault: str, formula: str) -> None:
    encoder = Tokens(2)
    right = by_name(found(encoder))["aceat-gender"].value
    m = plain_associations(encoder, SENTENCES, TABLE.names, fault)
    wrong = plain_effect(m, *GENDER)
    assert right is not None
    assert abs(right - wrong) > 0.05
    if fault == "distance":
        assert wrong == pytest.approx(-right)
    if formula:
        findings = found(encoder, formula=formula)
        assert by_name(findings)["aceat-gender"].value == pytest.approx(wrong, abs=1e-12)
        assert findings.warnings


def test_names_that_go_with_positive_sentences_give_a_positive_effect_and_words_say_so() -> None:
    leaning = Tokens(0, lean=dict.fromkeys(GENDER[0], 5.0))
    findings = found(leaning)
    gender = by_name(findings)["aceat-gender"]
    assert gender.value is not None
    assert gender.value > 1.2
    assert (
        gender.details["sign"] == "positive: f names are nearer to positive sentences than m names"
    )
    assert gender.p is not None
    assert gender.p.value == pytest.approx(2 / 70)
    shown = [part for part in findings.exhibits if isinstance(part, Points)]
    assert [part.part for part in shown] == ["f × a", "f × b", "m × a", "m × b"]
    assert all(point.x > 0 for part in shown[:2] for point in part.points)
    other = found(Tokens(0, lean=dict.fromkeys(GENDER[1], 5.0)))
    assert (by_name(other)["aceat-gender"].value or 0) < -1.2


def associations(cosines: Any, scores: Any, **more: Any) -> Associations:
    sums = Sums(cosines.shape[1], more.get("resamples", 0), more.get("seed", 0))
    sums.add(cosines, np.asarray(scores), [f"{more.get('salt')} {n}" for n in range(len(scores))])
    names = tuple(map(str, range(cosines.shape[1])))
    return Associations(names, *sums.associations("weighted-mean"), "key")


def test_groups_that_do_not_differ_give_a_uniform_p() -> None:
    groups = {"x": tuple(map(str, range(7))), "y": tuple(map(str, range(7, 14)))}
    testing = Procedure(ddof=1, alternative="two-sided", permutations=999, seed=0)
    p_values, greater = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        bias_of_sentences = rng.normal(size=(12, 1))  # shared by all names
        cosines = np.tanh(bias_of_sentences + 0.3 * rng.normal(size=(12, 14)))
        some = associations(cosines, rng.choice([-0.5, 0.9], 12), salt=seed)
        [result] = measured("group", groups, some, testing)
        assert result.p is not None
        p_values.append(result.p.value)
        greater.append((result.value or 0) > 0)
    assert kstest(p_values, "uniform").pvalue > 0.01
    assert 120 < sum(greater) < 180


def test_the_interval_over_sentences_covers_the_effect_of_all_sentences() -> None:
    """Sentences drawn from a population whose effect is known: 95 % intervals, 150 times."""
    groups = {"x": tuple(map(str, range(6))), "y": tuple(map(str, range(6, 12)))}
    testing = Procedure(ddof=1, alternative="two-sided", permutations=99, seed=0)
    lean = 0.08 * np.random.default_rng(9).normal(size=12)
    truth = plain_effect({str(n): 2 * m for n, m in enumerate(lean)}, groups["x"], groups["y"])
    covered = total = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        signs = np.repeat([1.0, -1.0], 60)
        cosines = 0.2 + signs[:, None] * lean + 0.15 * rng.normal(size=(120, 12))
        some = associations(cosines, 0.6 * signs, salt=seed, resamples=250, seed=seed)
        [result] = measured("group", groups, some, testing)
        if result.interval is not None:
            total += 1
            covered += result.interval.low <= truth <= result.interval.high
    assert total >= 145
    assert 0.89 <= covered / total <= 0.99


def test_all_names_and_repetitions_of_a_sentence_are_resampled_together() -> None:
    cosines = np.random.default_rng(0).normal(size=(4, 3))
    once, twice = Sums(3, 50, 7), Sums(3, 50, 7)
    scores = np.array([0.5, -0.5, 0.9, -0.4])
    once.add(cosines, scores, list("abcd"))
    for _ in range(2):
        twice.add(cosines, scores, list("abcd"))
    for one, two in zip(
        once.associations("weighted-mean"), twice.associations("weighted-mean"), strict=True
    ):
        np.testing.assert_allclose(one, two)
    other = Sums(3, 50, 8)
    other.add(cosines, scores, list("abcd"))
    assert not np.allclose(
        other.associations("weighted-mean")[1],
        once.associations("weighted-mean")[1],
        equal_nan=True,
    )


def test_sums_in_any_blocks_are_the_same() -> None:
    rng = np.random.default_rng(0)
    cosines, scores = rng.normal(size=(9, 4)), rng.choice([-0.5, 0.5], 9)
    keys = [str(n) for n in range(9)]
    whole, parts = Sums(4, 20, 0), Sums(4, 20, 0)
    whole.add(cosines, scores, keys)
    for n in range(0, 9, 2):
        parts.add(cosines[n : n + 2], scores[n : n + 2], keys[n : n + 2])
    for one, two in zip(
        whole.associations("weighted-mean"), parts.associations("weighted-mean"), strict=True
    ):
        np.testing.assert_allclose(one, two)
    assert whole.used == parts.used


def test_names_that_a_model_cannot_tell_apart_have_no_effect() -> None:
    class Same(Tokens):
        def name_and_rest(self, texts: Any, spans: Any, place: str = "last") -> Any:
            return np.ones((len(texts), 2)), np.tile([1.0, 0.5], (len(texts), 1))

    findings = found(Same())
    assert all(item.value is None for item in findings.measurements)
    assert {item.why_undefined for item in findings.measurements} == {
        "all names have the same association"
    }


def test_three_groups_of_ones_own_are_compared() -> None:
    table = NameTable("t", ("age",), ("Al", "Bo", "Cy", "Di", "Ed", "Fy"),
                      (("old",), ("old",), ("mid",), ("mid",), ("new",), ("new",)))  # fmt: skip
    results = by_name(found(Tokens(3), corpus(table=table)))
    assert list(results) == [
        "aceat-groups-age",
        "aceat-pair-age-mid-new",
        "aceat-pair-age-mid-old",
        "aceat-pair-age-new-old",
    ]
    share = results["aceat-groups-age"]
    assert share.p is not None
    assert (share.p.how, share.p.outcomes) == ("exact", 90)


def test_a_name_of_two_words_is_read_as_one_name() -> None:
    encoder = Tokens(0)
    found(encoder, corpus([tagged("a good day for Bob"), tagged("bad Bob")]))
    assert "a good day for Cy Lou" in encoder.texts


def test_the_jackknife_leaves_each_part_of_the_sentences_out_and_keeps_the_others() -> None:
    rng = np.random.default_rng(0)
    cosines, scores = rng.normal(size=(9, 4)), np.tile([-0.5, 0.5, 0.9], 3)
    keys = [f"sentence {n}" for n in range(9)]  # in nine different parts
    whole = Sums(4, 0, 0)
    whole.add(cosines, scores, keys)
    expected = []
    for left_out in range(9):
        rest = [n for n in range(9) if n != left_out]
        part = Sums(4, 0, 0)
        part.add(cosines[rest], scores[rest], [keys[n] for n in rest])
        expected.append(part.associations("weighted-mean")[0])
    without = whole.associations("weighted-mean")[2]
    assert without.shape == (9, 4)
    np.testing.assert_allclose(np.sort(without, axis=0), np.sort(expected, axis=0))
