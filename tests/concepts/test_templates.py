"""Sentences made of word lists by templates, and SEAT's released files."""

import json
from pathlib import Path

import pytest

import unslant as us
from tests.language_models import data_folder
from unslant.concepts.read import concept_from_table, definition, parse_concept
from unslant.concepts.seat import seat_test
from unslant.core.errors import ConceptError, DamagedFileError

TOY = """\
name = "toy"
items = "sentences"
[templates]
thing = ["This is {a}.", "{s} are things."]
name = ["{} is here."]
[kinds]
thing = ["oak", "child"]
name = ["Ann", "Bob"]
[forms]
child = { plural = "children" }
[tests.one]
targets = { x = ["oak"], y = ["child"] }
attributes = { a = ["Ann"], b = ["Bob"] }
"""
DROPPED = {"7": 10, "7b": 10, "8": 20, "8b": 20}
"""How many sentences about arts the released files leave out, to make target sets equal."""


def test_words_are_put_into_the_sentences_of_their_kind() -> None:
    test = parse_concept(TOY, "toy.toml").test("one")
    assert test.items == "sentences"
    assert test.targets["x"].sentences == (("This is an oak.", "Oaks are things."),)
    assert test.targets["y"].sentences == (("This is a child.", "Children are things."),)
    assert test.attributes["b"].sentences == (("Bob is here.",),)


def test_a_definition_in_a_record_keeps_the_sentences() -> None:
    toy = parse_concept(TOY, "toy.toml")
    again = concept_from_table(definition(toy), "record")
    assert again.items == "sentences"
    assert again.test("one").content_hash == toy.test("one").content_hash
    alone = concept_from_table(definition(toy.test("one")), "record")
    assert alone.test("one").content_hash == toy.test("one").content_hash


def test_other_templates_change_the_hash_of_a_test() -> None:
    other = parse_concept(TOY.replace("{} is here", "{} is there"), "toy.toml")
    toy = parse_concept(TOY, "toy.toml")
    assert other.test("one").content_hash != toy.test("one").content_hash
    assert other.content_hash != toy.content_hash


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ('items = "sentences"', 'items = "texts"', 2, '"words" or "sentences"'),
        ('items = "sentences"', "", 3, 'items = "sentences"'),
        ('"This is {a}."', '"This is it."', 4, "one slot"),
        ('"oak", ', "", 12, 'no kind is given for "oak"'),
        ('"oak", ', '"nobody/list", ', 7, "nobody"),
        ("thing = [\"oak\"", "things = [\"oak\"", 7, 'Did you mean "thing"'),
        ("{ plural", "{ dual", 10, "singular, plural and article"),
    ],
)  # fmt: skip
def test_a_mistake_in_templates_is_named_with_its_line(
    old: str, new: str, line: int, says: str
) -> None:
    with pytest.raises(ConceptError) as error:
        parse_concept(TOY.replace(old, new, 1), "toy.toml")
    assert says in str(error.value)
    assert f"line {line}" in str(error.value)


def test_seat_has_the_published_tests_without_any_empty_set() -> None:
    seat = us.concept("seat")
    assert list(seat.tests) == ["1", "3", "3b", "4", "5", "6", "6b", "7", "7b", "8", "8b"]
    for test in seat.tests.values():
        for item in (*test.targets.values(), *test.attributes.values()):
            assert len(item.sentences) == len(item.words) >= 8
            assert all(
                text[0].isupper() and text.endswith(".") for s in item.sentences for text in s
            )


def test_our_sentences_contain_every_released_one_and_few_more() -> None:
    folder = data_folder("seat")
    for name, test in us.concept("seat").tests.items():
        released = seat_test(folder / f"sent-weat{name}.jsonl")
        for ours, theirs in (
            *zip(test.targets.values(), released.targets.values(), strict=True),
            *zip(test.attributes.values(), released.attributes.values(), strict=True),
        ):
            mine = {text for texts in ours.sentences for text in texts}
            given = {text for texts in theirs.sentences for text in texts}
            assert given <= mine
            is_arts = ours.name.startswith("caliskan-2017/arts")
            assert len(mine - given) == (DROPPED.get(name, 0) if is_arts else 0)
            assert theirs.words == ours.words  # every sentence is assigned to its word


def test_a_file_that_is_no_seat_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sent-weat6.jsonl"
    for content in ("{", "[]", json.dumps({"targ1": 1, "targ2": 1, "attr1": 1, "attr2": 1})):
        path.write_text(content)
        with pytest.raises(DamagedFileError):
            seat_test(path)
