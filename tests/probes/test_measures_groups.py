"""Mean answers by group: by loops over all pairs."""

import numpy as np
import pytest

from tests.probes.small_sets import random_answers, small_set
from unslant.core.nli_exhibits import GroupAnswer
from unslant.measures.registry import meaning
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.scores import measures_for
from unslant.probes.nli.sets import bundled_sets, pair_set
from unslant.probes.nli.tables import averages, group_answers, mean_answer


def retention() -> Answers:
    words = ("man", "guy", "woman", "thing")
    groups = {"male": (0, 1), "female": (2,)}
    pairs = small_set(
        words,
        words,
        3,
        family="retention",
        premise_groups=groups,
        hypothesis_groups=groups,
        same_word=False,
    )
    return random_answers(pairs, 5)


def looped(answers: Answers, item: GroupAnswer) -> tuple[list[float], float, int]:
    pairs, found, right = answers.set, [], []
    for i, j, k in np.ndindex(*pairs.grid.shape):
        premise, hypothesis = pairs.premise_words[i], pairs.hypothesis_words[j]
        is_in = all(
            not group or place in groups[group]
            for group, groups, place in (
                (item.premises, pairs.premise_groups, i),
                (item.hypotheses, pairs.hypothesis_groups, j),
            )
        )
        is_word = not item.word or item.word == (premise if item.side == "premise" else hypothesis)
        if is_in and is_word and pairs.counts[i, j]:
            answer = answers.probabilities[i, j, k].astype(float)
            found.append(answer)
            right.append(answer[pairs.labels[i, j]])
    return list(np.mean(found, axis=0)), float(np.mean(right)), len(found)


def test_every_mean_is_that_of_a_loop_over_its_pairs() -> None:
    answers = retention()
    found = group_answers(answers)
    for item in found:
        means, right, count = looped(answers, item)
        mean = item.answer
        assert [mean.entailment, mean.neutral, mean.contradiction] == pytest.approx(means)
        assert mean.right == pytest.approx(right)
        assert mean.pairs == count
    # The one woman has no pair with herself, and the thing is in no group.
    whole = [(item.premises, item.hypotheses) for item in found if not item.word]
    assert whole == [("male", "male"), ("male", "female"), ("female", "male")]
    assert {item.word for item in found if item.side == "premise"} == {"man", "guy", "woman"}


def test_without_groups_the_whole_set_has_one_mean_and_each_word_its_own() -> None:
    answers = random_answers(small_set(("a", "b", "a"), 2, 3), 6)
    found = group_answers(answers)
    assert found[0].answer.neutral == pytest.approx(mean_answer(answers).neutral)
    by_word = {item.words[0]: item.neutral for item in averages(answers, "premise")}
    mine = {item.word: item.answer.neutral for item in found if item.side == "premise"}
    assert mine == pytest.approx(by_word)


def test_every_measure_of_every_bundled_set_has_a_declared_score() -> None:
    for name in bundled_sets():
        for measure in measures_for(pair_set(name, contexts=2)):
            facts = meaning(measure.name)
            assert facts.summary.endswith("?")
            assert facts.misleads
            assert facts.range
            assert facts.reference != facts.cites
            assert facts.role == "probe"
    shorts = {
        "nli-threshold-0.7": "T:0.7",
        "marked-error": "E",
        "marked-error-nouns": "E, nouns",
        "retention-entail-threshold-0.5": "T:0.5 entail",
    }
    assert {name: meaning(name).short for name in shorts} == shorts
