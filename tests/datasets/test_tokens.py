"""Sentences become the tokens that word vectors know, in linear time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.datasets.nli.text import tokenise


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("A man sleeps.", "a man sleeps ."),
        ("He isn't; they're, can't, won't.", "he is n't ; they 're , ca n't , wo n't ."),
        ("The dog's ball, the dogs' balls", "the dog 's ball , the dogs ' balls"),
        ("I’d say “I’ve won”", "i 'd say \" i 've won \""),
        ("reading `` Lotos . ''", 'reading " lotos . "'),
        ("They do n't see the man 's dog .", "they do n't see the man 's dog ."),
        ("a T-shirt and/or a self-made_one", "a t - shirt and / or a self - made _ one"),
        ("3.5 miles, $1,000 at 5 p.m.", "3.5 miles , $ 1 , 000 at 5 p.m."),
        ("in the U.S. army", "in the u.s. army"),
        ("on the street.A man", "on the street . a man"),
        ("the end of a.The man", "the end of a . the man"),
        ("'stop' o'clock '70s", "' stop ' o ' clock ' 70s"),
        ("Cafe\u0301 ÉTÉ Straße", "café été straße"),
        ("…!?", "… ! ?"),
    ],
)
def test_a_sentence_is_cut_as_written_here_by_hand(sentence: str, tokens: str) -> None:
    assert tokenise(sentence) == tokens.split(" ")


@pytest.mark.parametrize("sentence", ["", " ", "\t \u00a0\u2003"])
def test_a_blank_sentence_has_no_tokens(sentence: str) -> None:
    assert tokenise(sentence) == []


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_nothing_but_space_is_lost_and_no_token_holds_any(sentence: str) -> None:
    tokens = tokenise(sentence)
    assert all(token and not any(c.isspace() for c in token) for token in tokens)
    # With neither quotation marks nor marks that join up, the letters are those of the sentence.
    if sentence.isascii() and "``" not in sentence and "''" not in sentence:
        assert "".join(tokens) == "".join(sentence.lower().split())
    assert bool(tokens) == bool(sentence.strip())


@given(
    st.lists(
        st.sampled_from(
            ["don't", "U.S.", "man's", "3.5", "t-shirt", "x.", "can't", "'d", "n't", ".", "'", "a"]
        )
    )
)
def test_a_text_cut_before_is_cut_the_same_again(words: list[str]) -> None:
    once = tokenise(" ".join(words))
    assert tokenise(" ".join(once)) == once


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "n",
        "'",
        "n't",
        "a.",
        "1.",
        "1.1a",
        "n'",
        "a.aa",
        "_",
        "\u0301",
        "’",
        "``",
        "an't",
        "1a.",
    ],
)
def test_a_hostile_sentence_takes_time_in_proportion_to_its_length(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    start = time.perf_counter()
    tokenise(text)
    tokenise(text + "x")
    assert time.perf_counter() - start < 1.0
