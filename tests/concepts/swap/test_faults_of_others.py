"""Faults that published swaps had: each test fails with their formula, and passes with ours."""

import re
from collections.abc import Callable

import pytest

from unslant.concepts.swap import swap_of

Swapping = Callable[[str], str]


def ours(text: str) -> str:
    return swap_of("gender")(text).text


def his_to_hers(text: str) -> str:
    """F34: his always becomes hers, and wife and husband are unknown."""
    table = {"he": "she", "she": "he", "his": "hers", "him": "her", "her": "him"}
    return re.sub(r"\w+", lambda found: table.get(found[0], found[0]), text)


def one_direction_after_the_other(text: str) -> str:
    """F35: she becomes he, then every he becomes she; words at the ends are not found."""
    for old, new in (("she", "he"), ("her", "his"), ("he", "she"), ("his", "her")):
        text = re.sub(rf"(?<=\s){old}(?=\s)", new, text)
    return text


def last_pair_wins(text: str) -> str:
    """F36: no pair ends the search, so her is always his; words are what is between spaces."""
    words = text.split(" ")
    for place, word in enumerate(text.split(" ")):
        for sign in ("", ".", ",", "?", "!", ";", ":"):
            for male, female in (("he", "she"), ("him", "her"), ("his", "her")):
                if word == male + sign:
                    words[place] = female + sign
                if word == female + sign:
                    words[place] = male + sign
    return " ".join(words)


def one_pair_at_a_time(text: str) -> str:
    """F37: each copy of the text has only one pair swapped."""
    return re.sub(r"\bhe\b", "she", text)


def capitals_match_but_stay(text: str) -> str:
    """F38: a key with a capital matches but is looked up in small letters; one direction only."""
    table = {"he": "she", "his": "hers", "James": "Jane"}
    return re.sub(r"\w+", lambda found: table.get(found[0].lower(), found[0]), text)


def typing_error(text: str) -> str:
    """F39: nothing is swapped."""
    return text


CASES: list[tuple[Swapping, str, str]] = [
    (his_to_hers, "he lost his wallet", "she lost her wallet"),
    (his_to_hers, "his wife left him", "her husband left her"),
    (one_direction_after_the_other, "so she said he left", "so he said she left"),
    (one_direction_after_the_other, "she left him", "he left her"),
    (last_pair_wins, "I saw her today", "I saw him today"),
    (last_pair_wins, "I know (her)", "I know (him)"),
    (one_pair_at_a_time, "so he lost his hat", "so she lost her hat"),
    (capitals_match_but_stay, "we met James", "we met Elizabeth"),
    (capitals_match_but_stay, "she lost her hat", "he lost his hat"),
    (typing_error, "the king left", "the queen left"),
]


@pytest.mark.parametrize(("theirs", "text", "right"), CASES)
def test_a_fault_of_others_is_not_ours(theirs: Swapping, text: str, right: str) -> None:
    assert ours(text) == right
    assert theirs(text) != right


def test_grandfathers_are_plural_on_both_sides() -> None:
    assert ours("two grandfathers") == "two grandmothers"


def test_a_swap_that_did_nothing_says_so() -> None:
    assert swap_of("gender")("A table.").count == 0
    assert swap_of("gender")("A king.").count == 1
