"""Documents laid out, and cut into segments."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.made_coreference import A_NURSE, TWO_PEOPLE
from unslant.models.coreference.layout import (
    DocumentWords,
    Read,
    case_of,
    layout,
    split_sentences,
)
from unslant.models.coreference.training import segments


@given(st.lists(st.integers(1, 6), min_size=1, max_size=8))
def test_both_directions_read_every_sentence_in_its_order(lengths: list[int]) -> None:
    words = np.arange(sum(lengths))
    laid = layout([Read(words, words, np.array(lengths))])
    for order, step in ((laid.onward, 1), (laid.backward, -1)):
        assert sorted(order.tolist()) == words.tolist()
        seen: dict[int, list[int]] = {}
        for place in order.tolist():
            seen.setdefault(int(laid.sentence[place]), []).append(place)
        assert all(np.diff(own).tolist() == [step] * (len(own) - 1) for own in seen.values())
    assert laid.sizes.tolist() == sorted(laid.sizes.tolist(), reverse=True)
    assert laid.sizes.sum() == len(words)


def test_segments_have_whole_sentences_and_their_clusters() -> None:
    read = DocumentWords().read(TWO_PEOPLE.sentences)
    parts = list(segments(TWO_PEOPLE, read, longest=12, widest=3))
    assert [len(part) for part in parts] == [12, 6]
    first, last = (part.cluster for part in parts)
    assert first[0, 0] == first[6, 0] == 0
    assert first[2, 2] == first[8, 0] == last[0, 1] == 1
    assert last[3, 0] == 0
    assert last[3, 1] == 2
    assert (first >= 0).sum() + (last >= 0).sum() == len(TWO_PEOPLE.mentions)


def test_mentions_that_are_too_wide_are_left_out() -> None:
    read = DocumentWords().read(TWO_PEOPLE.sentences)
    (part,) = segments(TWO_PEOPLE, read, longest=99, widest=2)
    assert (part.cluster >= 0).sum() == len(TWO_PEOPLE.mentions) - 1


def test_a_sentence_longer_than_a_segment_is_not_cut() -> None:
    read = DocumentWords().read(A_NURSE.sentences)
    assert [len(part) for part in segments(A_NURSE, read, longest=3, widest=3)] == [5, 8]


def test_sentences_end_where_they_ended_in_the_document() -> None:
    words = [*TWO_PEOPLE.words, *A_NURSE.words, "then", "'", "she", "?", "'", "left"]
    found = [" ".join(sentence) for sentence in split_sentences(words)]
    expected = [" ".join(each) for each in (*TWO_PEOPLE.sentences, *A_NURSE.sentences)]
    assert found == [*expected, "then ' she ? '", "left"]


def test_a_capital_at_the_start_of_a_sentence_is_told_apart() -> None:
    assert case_of("Anna", is_first=True) != case_of("Anna", is_first=False)
    read = DocumentWords().read([("Anna", "saw", "anna")])
    assert read.words[0] == read.words[2]
    assert read.cases[0] != read.cases[2]
