"""Looking words up under a case policy, and saying what was not found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.errors import UnknownNameError
from unslant.vectors import CASE_POLICIES, Vocabulary
from unslant.vectors.vocabulary import find

VOCABULARY = Vocabulary.of(["the", "The", "paris", "Berlin", "NASA", "ß", "i̇"])


@pytest.mark.parametrize(
    ("case", "asked", "forms", "missing"),
    [
        ("exact", ["The", "the", "Paris"], ("The", "the"), ("Paris",)),
        ("lower", ["The", "Paris", "berlin"], ("The", "paris"), ("berlin",)),
        ("any", ["berlin", "BERLIN", "nasa", "Nasa"], ("Berlin", "Berlin", "NASA", "NASA"), ()),
        ("any", ["PARIS", "tokyo"], ("paris",), ("tokyo",)),
        ("lower", ["İ"], ("i̇",), ()),
        ("lower", [], (), ()),
    ],
)
def test_a_policy_tries_its_spellings_after_the_exact_one(
    case: str, asked: list[str], forms: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    found = find(VOCABULARY, asked, case)
    assert found.forms == forms
    assert found.missing == missing
    assert tuple(VOCABULARY[row] for row in found.rows.tolist()) == forms
    assert [*found.words, *found.missing] == sorted(asked, key=lambda word: word in missing)


@given(st.lists(st.sampled_from(["the", "THE", "Paris", "nasa", "none", "None"])))
def test_every_word_asked_for_is_either_found_or_missing(asked: list[str]) -> None:
    for case in CASE_POLICIES:
        found = find(VOCABULARY, asked, case)
        assert sorted([*found.words, *found.missing]) == sorted(asked)
        assert len(found.words) == len(found.forms) == len(found.rows)


def test_an_exact_match_wins_over_every_other_form() -> None:
    assert find(VOCABULARY, ["The"], "any").forms == ("The",)


def test_an_unknown_policy_lists_those_that_are() -> None:
    with pytest.raises(UnknownNameError, match=r'case policy is called "upper".*any, exact, lower'):
        find(VOCABULARY, ["the"], "upper")
