"""The table of English words of gender: every published pair has a place, each word one entry."""

import tomllib
from importlib.resources import files
from typing import Any

import pytest

from unslant.concepts import concept, wordlist
from unslant.concepts.swap.table import BY_RULES, table_from, table_of
from unslant.core.errors import ConceptError

LISTS = (
    "bolukbasi-2016/definitional-pairs",
    "bolukbasi-2016/equalise-pairs",
    "zhao-2018/gendered-pairs",
    "zhao-2018a/gender-swaps",
    "zhao-2018a/extra-gendered-pairs",
    "meade-2022/gender-pairs",
    "dev-2020/gendered-pairs",
    "dev-2021/definitional-pairs",
    "manzini-2019/gender-sets",
)
MISSPELT = {"adultor", "adultors", "adultress", "adultresses", "barnoesses", "godess", "godesses"}
MISSPELT |= {"mentleman", "stailor", "seamstress'"}


def content() -> dict[str, Any]:
    path = files("unslant.concepts") / "data" / "swaps" / "gender.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", LISTS)
def test_every_published_word_has_a_place(name: str) -> None:
    table = table_from(content())
    words = {word.lower().rstrip(".") for word in wordlist(name).all_words if "_" not in word}
    known = {*table.words, *table.names} | BY_RULES | MISSPELT
    assert words - known == set()


def test_the_bundled_concept_adds_only_misspelt_words_to_the_table() -> None:
    added = set(table_of(concept("gender")).words) - set(table_from(content()).words)
    assert added <= MISSPELT


def test_certain_words_are_an_involution() -> None:
    table = table_from(content())
    for entries in (table.words, table.names):
        for word, entry in entries.items():
            if entry.status == "certain":
                assert entries[entry.new.lower()].new.lower() == word, word


def test_whatever_is_not_certain_has_a_reason() -> None:
    table = table_from(content())
    for entry in (*table.words.values(), *table.names.values()):
        assert (entry.status == "certain") == (entry.reason == "")


def test_a_word_that_is_named_twice_is_refused() -> None:
    table = content()
    table["pairs"].append({"rows": [["lassie", "collie"]]})
    with pytest.raises(ConceptError, match='names "lassie" twice'):
        table_from(table)
