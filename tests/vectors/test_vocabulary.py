"""A vocabulary must answer as a list and a dictionary of the same words would."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unslant.numerics.decimals import Ragged
from unslant.vectors import Vocabulary

word = st.text(max_size=6)
known = st.characters(exclude_categories=["Cs"])
words = st.lists(st.text(known, max_size=6), max_size=30)


@given(words, st.lists(word, max_size=10))
def test_rows_are_those_of_a_dictionary(present: list[str], others: list[str]) -> None:
    vocabulary = Vocabulary.of(present)
    expected = {}
    for row, name in reversed(list(enumerate(present))):
        expected[name] = row  # the first of equal words counts
    asked = [*others, *present]
    assert vocabulary.rows_of(asked).tolist() == [expected.get(name, -1) for name in asked]
    assert all((name in vocabulary) == (name in expected) for name in asked)


def test_what_is_remembered_is_never_another_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unslant.vectors.vocabulary._MOST_REMEMBERED", 4)
    names = [f"w{number}" for number in range(6)]
    vocabulary = Vocabulary.of(names)
    for asked in ([2, 9, 2], [9, 1], [0, 3, 4], [2, 9], [5, 4, 3, 2, 1, 0]):
        for _ in range(2):
            found = vocabulary.rows_of([f"w{number}" for number in asked]).tolist()
            assert found == [number if number < 6 else -1 for number in asked]
            assert len(vocabulary._remembered) <= 4


@given(words)
def test_it_is_a_sequence(present: list[str]) -> None:
    vocabulary = Vocabulary.of(present)
    assert len(vocabulary) == len(present)
    assert list(vocabulary) == present
    assert [vocabulary[row] for row in range(len(present))] == present
    assert [vocabulary[-1 - row] for row in range(len(present))] == present[::-1]
    assert list(vocabulary[1:4]) == present[1:4]
    assert list(vocabulary[::-2]) == present[::-2]


@given(words, words)
def test_equal_words_make_equal_vocabularies(one: list[str], other: list[str]) -> None:
    assert (Vocabulary.of(one) == Vocabulary.of(other)) == (one == other)
    assert Vocabulary.of(one) == Vocabulary.of(list(one))
    assert hash(Vocabulary.of(one)) == hash(Vocabulary.of(list(one)))
    assert Vocabulary.of(one) != one


@given(words)
def test_first_occurrences_are_those_of_a_list(present: list[str]) -> None:
    first = Vocabulary.of(present).first_occurrences()
    assert first.tolist() == [present.index(name) for name in present]


def few_hashes(self: Ragged) -> NDArray[np.uint64]:
    """A hash so bad that most words share one with others."""
    return (self.lengths % 3).astype(np.uint64)


@settings(max_examples=200)
@given(words, st.lists(word, max_size=10))
def test_colliding_hashes_never_give_a_wrong_answer(present: list[str], others: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ragged, "hashes", few_hashes)
        vocabulary = Vocabulary.of(present)
        expected = [present.index(name) if name in present else -1 for name in (*others, *present)]
        assert vocabulary.rows_of([*others, *present]).tolist() == expected
        first = vocabulary.first_occurrences()
        assert first.tolist() == [present.index(name) for name in present]


def test_the_patched_hash_does_collide() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ragged, "hashes", few_hashes)
        hashes, _ = Vocabulary.of(["aa", "bb", "cc"]).sorted_hashes
        assert len(set(hashes.tolist())) == 1


@pytest.mark.parametrize("half", ["\ud800", "a\ud83d"])
def test_half_a_surrogate_pair_is_no_word(half: str) -> None:
    vocabulary = Vocabulary.of(["?", "\ufffd", "a?", "a\ufffd", "a"])
    assert half not in vocabulary
    assert vocabulary.rows_of([half]).tolist() == [-1]


def test_no_words_are_a_vocabulary_too() -> None:
    empty = Vocabulary.of([])
    assert len(empty) == 0
    assert empty.rows_of(["a"]).tolist() == [-1]
    assert empty.rows_of([]).tolist() == []
    assert repr(empty) == "<0 words: >"


def test_a_row_that_is_not_there_is_told() -> None:
    with pytest.raises(IndexError, match="There is no word 2: the vocabulary has 2"):
        Vocabulary.of(["a", "b"])[2]
    with pytest.raises(IndexError, match="There is no word -3"):
        Vocabulary.of(["a", "b"])[-3]


def test_it_shows_its_first_words() -> None:
    assert repr(Vocabulary.of(list("abcd"))) == "<4 words: 'a', 'b', 'c', …>"


def test_things_that_are_no_strings_are_not_in_it() -> None:
    vocabulary = Vocabulary.of(["3", "a"])
    other: object
    for other in (3, b"a", None):
        assert not vocabulary.__contains__(other)
