"""Scores of tags: by hand, as seqeval gives them, and on a corpus with known mistakes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.language_models import data_folder
from unslant.datasets.conll2003 import tagged_sentences
from unslant.measures.tag_scores import TagScores

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "seqeval.json").read_text())
TAGS = st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])


def scored(true: list[list[str]], predicted: list[list[str]]) -> TagScores:
    found = TagScores()
    for mine, theirs in zip(true, predicted, strict=True):
        found.add(mine, theirs)
    return found


def test_a_case_worked_by_hand() -> None:
    # True: Ann Lee (PER), Bob (PER), Rome (LOC). Found: Ann Lee, "Rome here" (wrong end).
    found = scored(
        [["I-PER", "I-PER", "B-PER", "O", "I-LOC", "O"]],
        [["B-PER", "I-PER", "O", "O", "B-LOC", "I-LOC"]],
    )
    whole, person = found.spans(), found.spans("PER")
    assert (whole.true, whole.predicted, whole.right) == (3, 2, 1)
    assert (whole.precision, whole.recall, whole.f1) == (1 / 2, 1 / 3, 2 / 5)
    assert (person.precision, person.recall) == (1.0, 1 / 2)
    assert found.spans("LOC").f1 == 0
    assert found.majority == "B-PER"  # as frequent as O, and first by name
    assert found.accuracy == 4 / 6  # B-PER I-PER, O after Bob, B-LOC; not Bob and not the last
    assert found.accuracy_without_majority == 3 / 4
    assert found.baselines == (2 / 6, 2 / 4)


def test_nothing_to_find_has_no_score_and_not_a_score_of_0() -> None:
    found = scored([["O", "O"]], [["O", "O"]])
    assert found.spans().f1 is None
    assert (found.accuracy, found.accuracy_without_majority) == (1.0, None)
    assert TagScores().accuracy is None


def test_a_sentence_with_too_few_tags_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="2 words and 1 tags"):
        TagScores().add(["O", "O"], ["O"])


def same_as_seqeval(case: dict[str, Any]) -> None:
    true, predicted = ([row.split() for row in case[side]] for side in ("true", "predicted"))
    found = scored(true, predicted)
    whole = found.spans()
    mine = [whole.precision or 0, whole.recall or 0, whole.f1 or 0]
    assert mine == pytest.approx(case["micro"], abs=1e-12)
    assert set(case["kinds"]) == set(found.kinds)
    for kind, (precision, recall, f1, support) in case["kinds"].items():
        each = found.spans(kind)
        numbers = [each.precision or 0, each.recall or 0, each.f1 or 0, each.true]
        assert numbers == pytest.approx([precision, recall, f1, support], abs=1e-12)


def test_the_scores_are_those_of_seqeval() -> None:
    assert len(GOLDEN["cases"]) == 60
    for case in GOLDEN["cases"]:
        same_as_seqeval(case)


def test_seqeval_still_says_what_the_stored_numbers_say() -> None:
    metrics = pytest.importorskip("seqeval.metrics")
    for case in GOLDEN["cases"]:
        true, predicted = ([row.split() for row in case[side]] for side in ("true", "predicted"))
        said = [
            metrics.precision_score(true, predicted, zero_division=0),
            metrics.recall_score(true, predicted, zero_division=0),
            metrics.f1_score(true, predicted, zero_division=0),
        ]
        assert said == pytest.approx(case["micro"], abs=1e-12)


def slow_entities(tags: list[str]) -> set[tuple[int, int, str]]:
    """Every stretch of words is tried: a kind throughout, begun here, and not going on."""
    found = set()
    kinds = [tag[2:] for tag in tags]
    for first in range(len(tags)):
        for last in range(first, len(tags)):
            inside = kinds[first : last + 1]
            is_begun = tags[first][0] == "B" or first == 0 or kinds[first - 1] != kinds[first]
            is_over = last + 1 == len(tags) or tags[last + 1][0] == "B"
            is_over = is_over or kinds[last + 1] != kinds[last]
            is_one = len(set(inside)) == 1 and inside[0] != ""
            if (
                is_one
                and is_begun
                and is_over
                and "B" not in {t[0] for t in tags[first + 1 : last + 1]}
            ):
                found.add((first, last, inside[0]))
    return found


@given(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=12))
def test_entities_are_those_of_trying_every_stretch(pairs: list[tuple[str, str]]) -> None:
    true, predicted = [a for a, _ in pairs], [b for _, b in pairs]
    found = scored([true], [predicted]).spans()
    mine, theirs = slow_entities(true), slow_entities(predicted)
    assert (found.true, found.predicted) == (len(mine), len(theirs))
    assert found.right == len(mine & theirs)


def test_testb_with_every_tenth_entity_lost() -> None:
    found, number = TagScores(), 0
    for sentence in tagged_sentences(data_folder("ner/conll2003"), "testb"):
        tags = list(sentence.iob2().tags)
        for first, last, _ in sentence.spans():
            number += 1
            if number % 10 == 0:
                tags[first : last + 1] = ["O"] * (last + 1 - first)
        found.add(sentence.tags, tags)
    whole = found.spans()
    assert (whole.true, whole.true - whole.right) == (5_648, 564)
    assert whole.precision == 1
    assert found.majority == "O"
    assert found.baselines[0] == pytest.approx(0.825, abs=0.001)
