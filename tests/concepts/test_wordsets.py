"""Every word that is asked for is accounted for."""

import numpy as np
import pytest

from tests.spaces import space
from tests.tallies import Tally
from unslant.concepts import WordPolicy, bundled_concepts, concept, resolve
from unslant.core.errors import MissingWordsError, UndefinedMeasureError, UnknownNameError
from unslant.measures.running import measure
from unslant.vectors import WordVectors

ABC = space(["a", "b", "C", "zero"], np.array([[3, 4], [0, 2], [1, 0], [0, 0]]))


def test_missing_words_stop_by_default_and_are_all_named() -> None:
    with pytest.raises(MissingWordsError) as caught:
        resolve(ABC, {"x": ["a", "q"], "y": ["r", "b"]}, WordPolicy())
    assert 'x: "q"' in str(caught.value)
    assert 'y: "r"' in str(caught.value)
    assert "--missing drop" in caught.value.typed


def test_dropped_words_are_in_the_account() -> None:
    sets = resolve(ABC, {"x": ["a", "q", "b"]}, WordPolicy(missing="drop"))
    [use] = sets.uses
    assert (use.used, use.missing, use.set_aside) == (("a", "b"), ("q",), ())


def test_balance_cuts_the_longer_set_from_its_end() -> None:
    words = {"x": ["a", "b", "C"], "y": ["b", "q", "a"]}
    sets = resolve(ABC, words, WordPolicy(missing="balance"), balance=(("x", "y"),))
    assert [use.used for use in sets.uses] == [("a", "b"), ("b", "a")]
    assert sets.uses[0].set_aside == ("C",)


def test_a_repeated_word_counts_once() -> None:
    sets = resolve(ABC, {"x": ["a", "A", "a", "b"]}, WordPolicy())
    assert sets.uses[0].used == ("a", "b")
    assert sets.uses[0].set_aside == ("A", "a")


def test_another_spelling_is_recorded() -> None:
    sets = resolve(ABC, {"x": ["A", "b"]}, WordPolicy(case="lower"))
    assert (sets.uses[0].used, sets.uses[0].spelt) == (("A", "b"), ("a", "b"))
    with pytest.raises(MissingWordsError):
        resolve(ABC, {"x": ["A"]}, WordPolicy(case="exact"))
    assert resolve(ABC, {"x": ["c"]}, WordPolicy(case="any")).uses[0].spelt == ("C",)


def test_a_set_without_a_word_is_refused_whatever_the_policy() -> None:
    with pytest.raises(UndefinedMeasureError, match="none of the 2 words"):
        resolve(ABC, {"x": ["q", "r"]}, WordPolicy(missing="drop"))


def test_a_zero_vector_has_no_direction_and_is_named() -> None:
    sets = resolve(ABC, {"x": ["a", "zero"]}, WordPolicy())
    assert np.array_equal(sets.matrix("x")[1], [0, 0])
    with pytest.raises(UndefinedMeasureError, match='"zero" has the zero vector'):
        sets.directions("x")


def test_unknown_policies_are_named() -> None:
    with pytest.raises(UnknownNameError, match="drop"):
        WordPolicy(missing="skip")
    with pytest.raises(UnknownNameError, match="lower"):
        ABC.lookup(["a"], case="upper")


@pytest.mark.full
def test_each_word_of_every_bundled_test_that_is_taken_away_is_missed(
    glove: WordVectors, tally: Tally
) -> None:
    tried = 0
    for name in bundled_concepts():
        for test in concept(name).tests.values():
            for key, item in {**test.targets, **test.attributes}.items():
                found = glove.lookup(item.all_words)
                for gone in dict.fromkeys(found.forms if len(set(found.forms)) > 1 else ()):
                    rest = glove.only([form for form in found.forms if form != gone])
                    wanted = {w for w, f in zip(found.words, found.forms, strict=True) if f == gone}
                    with pytest.raises(MissingWordsError) as refused:
                        resolve(rest, {key: found.words}, WordPolicy())
                    assert any(f'"{word}"' in str(refused.value) for word in wanted)
                    [use] = resolve(rest, {key: found.words}, WordPolicy(missing="drop")).uses
                    assert set(use.missing) == wanted
                    tried += 1
    tally(tried)


def test_each_word_of_a_test_that_is_taken_away_is_missed(glove: WordVectors) -> None:
    test = concept("gender").test("career-family")
    lists = {**test.targets, **test.attributes}
    words = [word.lower() for item in lists.values() for word in item.words]
    small = glove.only(words)
    for gone in words:
        rest = small.only([word for word in words if word != gone])
        with pytest.raises(MissingWordsError, match=f'"{gone}"|"{gone.title()}"'):
            measure("weat", rest, test)
        dropped = measure("weat", rest, test, WordPolicy(missing="drop"))
        missing = [word.lower() for use in dropped.words for word in use.missing]
        assert missing == [gone]
