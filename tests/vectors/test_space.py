"""Spaces: words with a vocabulary, and sentences that an encoder turns into vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import unslant as us
from unslant.core.errors import MissingWordsError
from unslant.vectors import SentenceSpace, Space, WordVectors, space_from
from unslant.vectors.space import is_space

TINY = WordVectors.of({"she": [1.0, 0.0], "he": [0.0, 1.0]}, name="tiny")


class Counting:
    """An encoder that counts letters and remembers what it was asked."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def encode(self, sentences: list[str]) -> NDArray[np.float64]:
        self.batches.append(sentences)
        return np.array([[text.count("e"), text.count("s"), 1.0] for text in sentences])


def made(**more: Any) -> SentenceSpace:
    return us.space(Counting(), name="letters", **more)


def test_words_and_sentences_are_spaces() -> None:
    spaces: list[Space] = [TINY, made()]
    assert all(is_space(each) for each in spaces)
    assert not is_space(Counting())
    assert TINY.rows(["he", "she", "he"]).tolist() == [[0, 1], [1, 0], [0, 1]]
    assert TINY.rows([]).shape == (0, 2)
    assert made().rows(["he sees", "us"]).tolist() == [[3, 2, 1], [0, 1, 1]]


def test_words_that_are_missing_are_named() -> None:
    with pytest.raises(MissingWordsError, match='"they", "it"'):
        TINY.rows(["he", "they", "it"])


def test_each_distinct_sentence_is_encoded_once_and_in_batches() -> None:
    encoder = Counting()
    letters = us.space(encoder, name="letters", batch=2)
    letters.rows(["a", "b", "a", "c", "b"])
    letters.rows(["c", "d", "a"])
    letters.unasked().rows(["d", "a"])
    assert encoder.batches == [["a", "b"], ["c"], ["d"]]


def test_what_was_handed_out_cannot_change_the_space() -> None:
    letters = made()
    letters.rows(["see"])[:] = 7
    assert letters.rows(["see"]).tolist() == [[2, 1, 1]]


def test_every_sentence_is_found_as_it_is_written() -> None:
    found = made().lookup(["He sees.", "he sees."], "any")
    assert found.words == found.forms == ("He sees.", "he sees.")
    assert found.missing == ()


def test_the_hash_follows_what_was_asked_and_what_came_of_it() -> None:
    one, other, third = made(), made(), made()
    one.rows(["a", "b"])
    other.rows(["b"])
    other.rows(["a"])
    third.rows(["a"])
    assert one.content_hash == other.content_hash != third.content_hash
    again = one.unasked()
    again.rows(["a"])
    assert again.content_hash == third.content_hash
    changed = us.space(lambda texts: np.ones((len(texts), 3)), name="letters")
    changed.rows(["a"])
    assert changed.content_hash != third.content_hash
    assert made(content_hash="abc").content_hash == "abc"


def test_the_dimension_is_known_from_the_first_sentence_or_given() -> None:
    letters = made()
    with pytest.raises(us.UnslantError, match="dim=…"):
        letters.dim  # noqa: B018
    letters.rows(["a"])
    assert letters.dim == made(dim=3).dim == 3


BAD: list[tuple[Callable[[list[str]], Any], str]] = [
    (lambda texts: np.ones(len(texts)), r"shape \(2,\) for 2 sentences. Expected \(2, d\)"),
    (lambda texts: np.ones((1, 3)), r"shape \(1, 3\)"),
    (lambda texts: np.ones((len(texts), 0)), r"shape \(2, 0\)"),
    (lambda texts: [[1.0], [1.0, 2.0]], "rows of numbers"),
    (lambda texts: [["a"], ["b"]], "rows of numbers"),
    (lambda texts: [[1.0], [np.nan]], '"two" a vector with a value that is not finite'),
    (lambda texts: [[1.0], [1e39]], "not finite"),
]


@pytest.mark.parametrize(("encode", "says"), BAD)
def test_what_an_encoder_gives_is_checked(encode: Callable[[list[str]], Any], says: str) -> None:
    with pytest.raises(us.UnslantError, match=says):
        us.space(encode, name="bad").rows(["one", "two"])


def test_an_encoder_must_not_change_its_width() -> None:
    wider = us.space(lambda texts: np.ones((len(texts), len(texts))), name="wider")
    wider.rows(["a", "b"])
    with pytest.raises(us.UnslantError, match=r"Expected \(3, 2\)"):
        wider.rows(["c", "d", "e"])


@pytest.mark.parametrize("given", [5, "glove.txt", None])
def test_what_cannot_encode_is_refused(given: Any) -> None:
    with pytest.raises(us.UnslantError, match='object with such a method "encode"'):
        us.space(given, name="none")


def test_a_batch_holds_a_sentence() -> None:
    with pytest.raises(us.UnslantError, match="at least 1 sentence"):
        made(batch=0)


def test_a_space_of_ones_own_is_taken_as_it_is() -> None:
    letters = made()
    assert space_from(letters) is letters
    assert space_from(TINY) is TINY
    with pytest.raises(us.UnslantError, match="Expected word vectors"):
        space_from(5)  # type: ignore[arg-type]
