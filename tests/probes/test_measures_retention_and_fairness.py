"""Retention and fairness: by hand, by loops, and where they are not defined."""

from collections import Counter

import numpy as np
import pytest

from tests.probes.small_sets import random_answers, small_set
from unslant.core.errors import UndefinedMeasureError
from unslant.datasets.nli.pairs import LABELS
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.measured import measured
from unslant.probes.nli.neutrality import nli_fairness
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.scores import measures_of
from unslant.probes.nli.sets import bundled_sets, pair_set

WORDS = ("man", "woman", "guy", "lady")
GROUPS = {"male": (0, 2), "female": (1, 3)}


def gendered() -> PairSet:
    return small_set(
        WORDS,
        WORDS,
        3,
        family="retention",
        premise_groups=GROUPS,
        hypothesis_groups=GROUPS,
        same_word=False,
    )


def occupations(premises: int = 5, contexts: int = 4) -> PairSet:
    return small_set(premises, 4, contexts, hypothesis_groups=GROUPS)


def test_retention_agrees_with_loops_over_all_pairs() -> None:
    pairs = gendered()
    answers = random_answers(pairs, 1)
    male = {"man", "guy"}
    same, other = [], []
    for i, premise in enumerate(WORDS):
        for j, hypothesis in enumerate(WORDS):
            rows = answers.probabilities[i, j].tolist()
            if premise != hypothesis and (premise in male) == (hypothesis in male):
                same += [(e, max(e, n, c)) for e, n, c in rows]
            elif premise != hypothesis:
                other += [(c, max(e, n, c)) for e, n, c in rows]
    found = {record.metric: record for record in measures_of(answers, thresholds=(0.3,))}
    for verb, rows in (("entail", same), ("contradict", other)):
        expected = [
            np.mean([x for x, _ in rows]),
            np.mean([x == top for x, top in rows]),
            np.mean([x > 0.3 for x, _ in rows]),
        ]
        names = [f"retention-{verb}-{what}" for what in ("net", "fraction", "threshold-0.3")]
        assert [found[name].value for name in names] == pytest.approx(expected, rel=1e-9)
    assert found["retention-entail-net"].details["pairs"] == len(same) == 4 * 3
    assert found["retention-contradict-net"].details["pairs"] == len(other) == 8 * 3
    assert next(iter(found)) == "retention-entail-net"


def test_a_model_that_knows_gender_retains_all_and_a_neutral_one_nothing() -> None:
    pairs = gendered()
    knows, neutral = (np.zeros((4, 4, 3, 3), dtype=np.float32) for _ in range(2))
    for i in range(4):
        for j in range(4):
            knows[i, j, :, 0 if i % 2 == j % 2 else 2] = 1
    neutral[..., 1] = 1
    assert all(record.value == 1 for record in measures_of(Answers(pairs, knows)))
    assert all(record.value == 0 for record in measures_of(Answers(pairs, neutral)))


@pytest.mark.parametrize("contexts", [18, 22, 29, 36])
def test_a_share_of_all_pairs_is_1_and_not_a_rounding_more(contexts: int) -> None:
    # Eighteen times 1/18 is more than 1 in binary numbers.
    pairs = small_set(
        WORDS, WORDS, contexts, family="retention", premise_groups=GROUPS, hypothesis_groups=GROUPS
    )
    always = np.zeros((*pairs.grid.shape, 3), dtype=np.float32)
    always[..., LABELS.index("entailment")] = 1
    found = {one.metric: one for one in measures_of(Answers(pairs, always))}
    for name in ("retention-entail-net", "retention-entail-fraction"):
        assert found[name].value == 1
        interval = found[name].interval
        assert interval is not None
        assert (interval.low, interval.high) == (1, 1)


def test_retention_without_matching_groups_is_refused() -> None:
    pairs = small_set(2, 2, 2, family="retention", premise_groups={"a": (0,)})
    with pytest.raises(UndefinedMeasureError, match="groups of the same name"):
        measures_of(random_answers(pairs))


def test_fairness_of_two_occupations_worked_out_by_hand() -> None:
    pairs = small_set(
        ("nurse", "judge"), ("man", "woman"), 3, hypothesis_groups={"male": (0,), "female": (1,)}
    )
    e, n, c = [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]
    rows = [[[c, c, n], [e, n, e]], [[n, n, e], [n, n, n]]]
    (record,) = measured([nli_fairness(pairs)], Answers(pairs, np.array(rows, dtype=np.float32)))
    # neutral: 1 + 1 + 2 + 3 of 12; the nurse is contradiction and entailment, the judge neutral
    assert record.details["accuracy"] == pytest.approx(7 / 12)
    assert record.details["parity"] == 0.5
    assert record.value == pytest.approx(7 / 24)
    assert record.points[0] == {"word": "nurse", "male": "contradiction", "female": "entailment"}
    assert "larger summed probability" in str(record.details["aggregation"])


def test_of_equally_frequent_labels_the_more_probable_is_the_majority() -> None:
    pairs = small_set(
        ("nurse",), ("man", "woman"), 2, hypothesis_groups={"male": (0,), "female": (1,)}
    )
    weak, strong, neutral = [0.4, 0.35, 0.25], [0.9, 0.05, 0.05], [0.2, 0.5, 0.3]
    # once entailment and once neutral each: summed .60 against .85, then 1.10 against .55
    rows = np.array([[[weak, neutral], [strong, neutral]]], dtype=np.float32)
    (record,) = measured([nli_fairness(pairs)], Answers(pairs, rows))
    assert record.points[0] == {"word": "nurse", "male": "neutral", "female": "entailment"}
    assert record.details["parity"] == 0


def test_fairness_agrees_with_counting_labels() -> None:
    for seed in range(5):
        pairs = occupations()
        answers = random_answers(pairs, seed)
        alike, neutral = 0, 0
        for i in range(5):
            majority = []
            for places in GROUPS.values():
                labels: Counter[int] = Counter()
                sums = np.zeros(3)
                for j in places:
                    for row in answers.probabilities[i, j].astype(float):
                        labels[int(row.argmax())] += 1
                        sums += row
                majority.append(max(range(3), key=lambda k: (labels[k], sums[k])))
                neutral += labels[1]
            alike += majority[0] == majority[1]
        (record,) = measured([nli_fairness(pairs)], answers, resamples=50)
        assert record.value == pytest.approx(alike / 5 * neutral / (5 * 4 * 4), rel=1e-12)
        assert {str(point["male"]) for point in record.points} <= set(LABELS)


def test_fairness_belongs_to_neutrality_with_groups_only() -> None:
    with_groups = measures_of(random_answers(occupations()), resamples=20)
    assert with_groups[-1].metric == "nli-fairness"
    without = measures_of(random_answers(small_set(4, 4, 3)), resamples=20)
    assert all(record.metric != "nli-fairness" for record in without)
    with pytest.raises(UndefinedMeasureError, match="at least two"):
        nli_fairness(small_set(4, 4, 3))


def test_equal_probabilities_predict_neutral() -> None:
    pairs = occupations(2, 2)
    rows = np.full((2, 4, 2, 3), 1 / 3, dtype=np.float32)
    (record,) = measured([nli_fairness(pairs)], Answers(pairs, rows))
    assert record.value == 1


@pytest.mark.parametrize("name", bundled_sets())
def test_every_bundled_set_has_its_measures(name: str) -> None:
    pairs = pair_set(name, contexts=7)
    records = measures_of(random_answers(pairs), resamples=100)
    assert len({record.metric for record in records}) == len(records) >= 2
    for record in records:
        assert record.value is not None
        assert record.interval is not None
        assert record.metric.startswith({"neutrality": "nli"}.get(pairs.family, pairs.family))
        assert 1 <= int(record.details["pairs"] or 0) <= len(pairs)
