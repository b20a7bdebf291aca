"""Concepts from TOML: the bundled ones, a user's own, and what is wrong with a file."""

from pathlib import Path

import pytest

from unslant.concepts import bundled_concepts, concept, wordlist
from unslant.concepts.read import parse_concept
from unslant.core.errors import ConceptError, UnknownNameError
from unslant.subspaces.estimator import estimator_from

MINIMAL = 'name = "mine"\n'


@pytest.mark.parametrize("name", bundled_concepts())
def test_every_bundled_concept_reads_and_names_only_estimators_that_exist(name: str) -> None:
    item = concept(name)
    assert item.name == name
    assert item.title
    assert item.about
    assert item.caveats
    for expression in filter(None, (item.direction, *item.alternatives)):
        estimator_from(expression)


def test_a_file_of_ones_own_works_like_a_bundled_name(tmp_path: Path) -> None:
    path = tmp_path / "pets.toml"
    path.write_text(
        """
name = "pets"
title = "Cats and dogs"
groups = ["cat", "dog"]
direction = "pair-difference(cat, dog)"
[words]
cat = ["cat", "kitten"]
dog = ["dog", "puppy"]
[sets]
young = { columns = ["cat", "dog"], rows = [["cat", "dog"], ["kitten", "puppy"]] }
[neutral]
occupations = "dev-2020/occupations"
[tests.nice]
targets = { cats = ["cat", "kitten"], dogs = ["dog", "puppy"] }
attributes = { good = "caliskan-2017/pleasant", bad = "caliskan-2017/unpleasant" }
"""
    )
    pets = concept(path)
    assert pets.test("nice").targets["dogs"].words == ("dog", "puppy")
    assert pets.table("young").rows[1] == ("kitten", "puppy")
    assert pets.list("cat").words == ("cat", "kitten")
    assert len(pets.list("occupations")) == 164


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", '"name" must be a string'),
        ("name = 3", '"name" must be a string'),
        ("name = ", "not valid TOML"),
        (MINIMAL + "grups = []", 'Did you mean "groups"'),
        (MINIMAL + 'groups = "a"', '"groups" must be an array'),
        (MINIMAL + 'groups = ["a"]\n[words]\nb = ["x"]', 'No group is called "b"'),
        (MINIMAL + "[lists]\nx = 3", "must be a table"),
        (MINIMAL + '[lists]\nx = "occupations"', 'write "source/list"'),
        (MINIMAL + '[lists]\nx = "dev-2020/ocupations"', 'Did you mean "occupations"'),
        (MINIMAL + '[lists]\nx = "dev-2019/occupations"', 'Did you mean "dev-20'),
        (MINIMAL + '[lists]\nx = "zhao-2018/gendered-pairs.men"', "column of"),
        (MINIMAL + "[lists]\nx = [1]", "not a word"),
        (MINIMAL + '[lists]\nx = [""]', "not a word"),
        (MINIMAL + "[lists]\nx = []", "must have either words"),
        (MINIMAL + '[sets]\nx = ["a", "b"]', "at least two columns"),
        (
            MINIMAL + '[sets]\nx = { columns = ["a", "b"], rows = [["c"]] }',
            "Row 1 of the list",
        ),
        (MINIMAL + "[neutral]\n'a \"b\"' = ['x']", "cannot contain a quotation mark"),
        (MINIMAL + "[tests.t]\ntitle = 'x'", "must have targets and attributes"),
        (MINIMAL + "tests = 3", "must be a table"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(ConceptError) as caught:
        parse_concept(text, "mine.toml")
    assert str(caught.value).startswith("mine.toml")
    assert message in str(caught.value)


def test_an_error_names_the_line() -> None:
    text = f'{MINIMAL}groups = ["a"]\n[words]\na = ["x"]\nb = ["y"]\n'
    line = text.splitlines().index('b = ["y"]') + 1
    with pytest.raises(ConceptError, match=rf"mine\.toml line {line}: No group is called"):
        parse_concept(text, "mine.toml")


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "gender"'):
        concept("gendr")
    with pytest.raises(UnknownNameError, match='Did you mean "career-family"'):
        concept("gender").test("carreer-family")


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConceptError, match="cannot be read: No such file"):
        concept(tmp_path / "no.toml")


def test_the_hash_follows_the_words_and_not_their_place_or_spelling_of_the_file() -> None:
    base = MINIMAL + 'groups = ["a"]\n[words]\na = ["x", "y"]\n'
    same = "# a remark\n" + base
    other = base.replace('"y"', '"z"')
    hashes = [parse_concept(text, "f").content_hash for text in (base, same, other)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_test_has_a_hash_of_its_own_words() -> None:
    gender, caliskan = concept("gender"), concept("caliskan")
    assert gender.test("career-family").content_hash == caliskan.test("career-family").content_hash
    assert gender.test("math-arts").content_hash != gender.test("science-arts").content_hash


def test_a_list_carries_its_source() -> None:
    occupations = wordlist("dev-2020/occupations")
    assert len(occupations) == 164
    assert occupations.source.year == 2020
    assert "Dev" in str(occupations.source)
