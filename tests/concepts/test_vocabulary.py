"""Ordinary words: a slow second filter, what a concept names itself, two spaces side by side."""

import hashlib

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import letter_words, wide_space
from unslant.concepts import WordPolicy, concept
from unslant.concepts.vocabulary import (
    frequent_words,
    joined,
    listed_words,
    own_words,
    plain_rows,
    unit_rows,
)
from unslant.core.errors import MissingWordsError, UndefinedMeasureError
from unslant.vectors import Vocabulary, WordVectors

WORDS = ["the", "The", "new-york", "b2b", "éclair", "Éclair", "naïve", "日本", "x" * 19, "x" * 20]
WORDS += ["é" * 19, "é" * 20, ".", "don't", "a", "été2", "last"]


def test_plain_words_are_lower_case_letters_and_short() -> None:
    rows = plain_rows(Vocabulary.of(WORDS), 100)
    chosen = [WORDS[row] for row in rows]
    assert chosen == ["the", "éclair", "naïve", "日本", "x" * 19, "é" * 19, "a", "last"]


def test_the_limit_comes_before_the_filter() -> None:
    assert plain_rows(Vocabulary.of(WORDS), 5).tolist() == [0, 4]


def test_the_filter_agrees_with_python_on_the_builtin_vectors(glove: WordVectors) -> None:
    expected = [
        row
        for row, word in enumerate(glove.words)
        if word.isalpha() and word.lower() == word and len(word) < 20
    ]
    assert plain_rows(glove.words, 10**6).tolist() == expected


def test_a_concept_names_its_words_names_sets_and_specific_words() -> None:
    own = own_words(concept("gender"))
    assert {"she", "he", "mary", "Mary", "queen", "actress"} <= own
    assert "nurse" not in own


def test_words_that_the_concept_names_are_left_out_of_the_vocabulary(glove: WordVectors) -> None:
    gender = concept("gender")
    shared = frequent_words(glove, glove, gender, 50_000)
    assert not own_words(gender) & set(shared.words)
    assert 30_000 < len(shared) < len(glove)
    assert shared.uses == ()
    joined_words = "\n".join(shared.words).encode()
    assert shared.details["sha256-of-the-vocabulary"] == hashlib.sha256(joined_words).hexdigest()


def test_small_vocabularies_are_listed_word_by_word() -> None:
    vectors = wide_space(0, 20)
    shared = frequent_words(vectors, vectors, small_concept(), 100)
    assert shared.uses[0].used == tuple(letter_words(20))


def test_words_that_the_baseline_lacks_are_dropped_and_counted() -> None:
    after = wide_space(0, 20)
    before = after.only([word for word in after.words if word not in ("aaab", "aaad")])
    shared = frequent_words(after, before, small_concept(), 100)
    assert shared.details["words-that-the-baseline-lacks"] == 2
    assert shared.uses[0].missing == ("aaab", "aaad")
    assert np.array_equal(after.matrix[shared.rows], before.matrix[shared.before])


def test_zero_vectors_are_dropped_and_counted() -> None:
    matrix = wide_space(0, 20).matrix.copy()
    matrix[12] = 0
    after = space(list(wide_space(0, 20).words), matrix)
    shared = frequent_words(after, after, small_concept(), 100)
    assert shared.details["words-with-the-zero-vector"] == 1
    assert len(shared) == 19


def test_a_vocabulary_of_no_plain_words_is_refused() -> None:
    vectors = wide_space(0, 1)
    with pytest.raises(UndefinedMeasureError, match="0 are plain words"):
        frequent_words(vectors, vectors, small_concept(), 10)


def test_a_list_is_found_in_both_spaces_and_accounted_for() -> None:
    after = wide_space(0, 20)
    before = after.only([word for word in after.words if word != "n2"])
    toy = small_concept()
    found = listed_words(after, before, toy, "things", WordPolicy(missing="drop"))
    assert found.uses[0].used == ("n0", "n1", "n3")
    assert found.uses[0].missing == ("n2",)
    assert np.array_equal(after.matrix[found.rows], before.matrix[found.before])
    with pytest.raises(MissingWordsError, match="n2"):
        listed_words(after, before, toy, "things", WordPolicy())


def test_joined_words_stand_once_and_the_list_is_found_in_them() -> None:
    after = wide_space(0, 20)
    text = '[specific]\nextra = ["aaac"]'
    toy = small_concept(text)
    every, places = joined(
        frequent_words(after, after, toy, 100),
        listed_words(after, after, toy, "things", WordPolicy()),
    )
    assert len(every) == 19 + 4
    assert [every.words[place] for place in places] == ["n0", "n1", "n2", "n3"]
    assert list(every.words) == [after.words[row] for row in every.rows]


def test_unit_rows_are_of_length_1_however_small_the_numbers() -> None:
    tiny = WordVectors.of({"a": [3e-30, 4e-30], "b": [3e30, 4e30]})
    assert unit_rows(tiny, np.array([0, 1])) == pytest.approx(np.array([[0.6, 0.8]] * 2))
