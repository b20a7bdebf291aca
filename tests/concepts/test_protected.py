"""The group that a text refers to."""

import numpy as np
import pytest

from unslant.concepts import concept
from unslant.concepts.swap import swap_of
from unslant.concepts.swap.table import table_of
from unslant.core.errors import UnslantError
from unslant.models.classifiers.group_mentions import protected_classes

FEMALE, MALE, NEITHER = 0, 1, -1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She lost her keys.", FEMALE),
        ("The waitress's tray", FEMALE),
        ("Two women's coats", FEMALE),
        ("I saw her", FEMALE),
        ("Ms. Smith sat down.", FEMALE),
        ("a damsel", FEMALE),
        ("a bridegroom", MALE),
        ("Mary sat down.", FEMALE),
        ("His dog", MALE),
        ("the kings’ men", MALE),
        ("John sat down.", MALE),
        ("A nurse sat down.", NEITHER),
        ("His wife sat down.", NEITHER),
        ("John met Mary.", NEITHER),
        ("", NEITHER),
        ("s/he sat", NEITHER),
    ],
)
def test_the_gender_of_a_text(text: str, expected: int) -> None:
    assert protected_classes([text], "gender").tolist() == [expected]


def test_names_can_be_passed_over() -> None:
    assert protected_classes(["Mary sat.", "She sat."], "gender", names=False).tolist() == [-1, 0]


def test_the_race_of_a_name() -> None:
    texts = ["Lakisha sat down.", "Emily sat down.", "Emily met Lakisha.", "He sat."]
    assert protected_classes(texts, "race").tolist() == [0, 1, -1, -1]


def test_concepts_of_more_groups_are_found_by_their_words() -> None:
    texts = ["A rabbi spoke.", "The church's door", "a mosque", "A mosque and a church", "Hello"]
    groups = concept("religion").groups
    named = {"rabbi": "jewish", "church": "christian", "mosque": "muslim"}
    expected = [groups.index(group) for group in named.values()]
    assert protected_classes(texts, "religion").tolist() == [*expected, -1, -1]


def test_a_swapped_text_refers_to_the_other_group() -> None:
    swap = swap_of("gender")
    pairs = [
        (word, entry.new)
        for word, entry in table_of(concept("gender")).words.items()
        if entry.status == "certain" and not word.endswith("'")
    ]
    texts = [f"This is about the {word}." for word, _ in pairs]
    own = protected_classes(texts, "gender")
    other = protected_classes([swap(text).text for text in texts], "gender")
    assert len(texts) > 300
    known = own >= 0
    assert known.mean() > 0.9
    np.testing.assert_array_equal(own[known] + other[known], 1)


def test_a_concept_without_groups_is_refused() -> None:
    with pytest.raises(UnslantError, match="caliskan"):
        protected_classes(["She"], "caliskan")
