"""Words as ELMo spells them, and the words that are asked about."""

import numpy as np
import pytest

from tests.models.elmo import by_hand
from unslant.core.errors import UnslantError
from unslant.models.elmo import ElmoModel
from unslant.models.elmo.model import MOST_TOKENS, words_of
from unslant.models.elmo.options import sentence_bounds, spelled


def test_a_word_is_its_bytes_between_two_signs() -> None:
    assert spelled("hi", 6) == (259, 105, 106, 260, 261, 261)
    assert spelled("ß", 6) == (259, 0xC3 + 1, 0x9F + 1, 260, 261, 261)
    assert len(spelled("she")) == 50


def test_a_long_word_is_cut_before_its_end_sign() -> None:
    assert spelled("abcdefgh", 6) == (259, 98, 99, 100, 101, 260)


@pytest.mark.parametrize("word", ["a", "nurse", "日本", "x" * 80, "</s>", "\ud800"])
def test_spelling_agrees_with_a_second_implementation(word: str) -> None:
    bare = word.encode("utf-8", "ignore").decode()
    assert spelled(word) == tuple(sign + 1 for sign in by_hand.spelling(bare, 50))


def test_the_bounds_of_a_sentence_are_words_that_no_text_can_spell() -> None:
    begin, end = sentence_bounds(5)
    assert begin == (259, 257, 260, 261, 261)
    assert end == (259, 258, 260, 261, 261)


@pytest.mark.parametrize(
    ("text", "words", "asked"),
    [
        ("This is  a\tnurse.", ["This", "is", "a", "nurse."], []),
        ("This is [[nurse]] .", ["This", "is", "nurse", "."], [2]),
        ("This is [[nurse]].", ["This", "is", "nurse", "."], [2]),
        ("[[New York]] is here", ["New", "York", "is", "here"], [0, 1]),
        ("[[a]] and [[b]]", ["a", "and", "b"], [0]),
    ],
)
def test_tokens_are_words_between_spaces_and_marks(
    text: str, words: list[str], asked: list[int]
) -> None:
    found, which = words_of(text)
    assert found == words
    assert list(which) == asked


def test_a_marked_word_has_the_vector_of_its_token(elmo: ElmoModel) -> None:
    rows = elmo.vectors(["a nurse .", "a [[nurse]]."], ["lstm:2"])
    marked = elmo.vectors(["a [[nurse]].", "[[nurse]]"], ["lstm:2[word]", "chars[word]"])
    whole, word, static = *rows.values(), *marked.values()
    np.testing.assert_allclose(whole[0], whole[1], rtol=0, atol=5e-6)
    assert np.abs(word[0] - word[1]).max() > 1e-3  # the context counts
    np.testing.assert_allclose(static[0], static[1], rtol=0, atol=5e-6)  # but not before the LSTMs


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty text"),
        (" \n", "empty text"),
        ("[[ ]]", "empty text"),
        ("a [[ ]] b", "between the marks"),
        ("a " * (MOST_TOKENS + 1), "5,001 words"),
        ("a" * (1 << 21), "a million characters"),
        (7, "not int"),
    ],
)
def test_a_text_without_vectors_is_named_in_one_sentence(
    text: str, says: str, elmo: ElmoModel
) -> None:
    with pytest.raises(UnslantError, match=says) as told:
        elmo.vectors([text], ["all"])
    assert len(str(told.value)) < 300
