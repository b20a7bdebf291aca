"""The WEATHub tests of each language: as released, as concepts, and as a suggestion."""

import json
import os
import re
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unslant.concepts import AssociationTest, WordPolicy, bundled_concepts, concept, wordlist
from unslant.concepts.language_fit import better_fit, share_found
from unslant.concepts.languages import language_name, weathub_code, weathub_names
from unslant.concepts.read import parse_concept
from unslant.core.errors import UnknownNameError
from unslant.core.lineage import Lineage
from unslant.studies.audit import audit
from unslant.studies.checks import NothingMeasuredError
from unslant.vectors import Vocabulary, WordVectors

PARTS = ("targ1", "targ2", "attr1", "attr2")


def sets_of(test: AssociationTest) -> list[tuple[str, ...]]:
    """The four sets of a test, in the order of the released files."""
    return [item.words for item in (*test.targets.values(), *test.attributes.values())]


def released(name: str) -> dict[str, dict[str, Any]]:
    """The released tests of a language, by their names."""
    folder = os.environ.get("UNSLANT_DATA")
    if not folder:
        pytest.skip("UNSLANT_DATA is not set: the released files to compare with are not here")
    paths = (Path(folder) / "wordlists/weathub" / weathub_code(name)).glob("weat*.json")
    return {path.stem.removeprefix("weat"): json.loads(path.read_text("utf-8")) for path in paths}


@pytest.mark.parametrize("name", weathub_names())
def test_every_test_has_the_released_words_in_the_released_order(name: str) -> None:
    item, files = concept(name), released(name)
    assert set(item.tests) == set(files)
    for number, file in files.items():
        words = {part: dict.fromkeys(file[part]["examples"]) for part in PARTS}
        for one, other in (PARTS[:2], PARTS[2:], PARTS[1::-1], PARTS[:1:-1]):
            kept = tuple(word for word in words[one] if word not in words[other])
            assert sets_of(item.test(number))[PARTS.index(one)] == kept


@pytest.mark.parametrize("name", weathub_names())
def test_the_name_of_a_set_is_that_of_the_released_category(name: str) -> None:
    item = concept(name)
    for number, file in released(name).items():
        test = item.test(number)
        ours = [re.sub("[^a-z0-9]", "", key) for key in (*test.targets, *test.attributes)]
        theirs = [file[part]["category"].replace("+", "plus").lower() for part in PARTS]
        assert ours == [re.sub("[^a-z0-9]", "", category) for category in theirs]


def test_there_are_24_translations_and_english() -> None:
    names = weathub_names()
    assert len(names) == 25
    assert [n for n in names if "1" not in concept(n).tests] == ["weathub-en"]
    for name in names:
        item = concept(name)
        assert item.language == weathub_code(name)
        assert language_name(item.language) in item.title
        assert len(item.tests) == (7 if name == "weathub-en" else 13)


def test_every_list_has_its_source_and_licence() -> None:
    for name in weathub_names():
        for test in concept(name).tests.values():
            for item in (*test.targets.values(), *test.attributes.values()):
                assert item.source.key == "mukherjee-2023"
                assert item.source.licence == "CC-BY 4.0"
    assert wordlist("weathub-de/female-names").words[:2] == ("Emma", "Annemarie")


def test_words_on_both_sides_of_a_test_are_left_out_and_named() -> None:
    for name in weathub_names():
        item = concept(name)
        for test in item.tests.values():
            for one, other in (test.targets.values(), test.attributes.values()):
                assert not set(one.words) & set(other.words)
    turkish = concept("weathub-tr")
    assert turkish.caveats[-1] == "Left out, since both sides of a test have them: o."
    assert turkish.test("7").attributes["male terms"].note.endswith("has it too: o.")
    assert not any("both sides" in caveat for caveat in concept("weathub-de").caveats)


def test_every_bundled_concept_says_its_language_and_ones_own_may() -> None:
    assert all(concept(name).language for name in bundled_concepts())
    assert parse_concept('name = "mine"', "mine.toml").language == ""
    assert parse_concept('name = "mine"\nlanguage = "nl"', "mine.toml").language == "nl"


def test_an_unknown_language_is_refused_in_one_short_sentence() -> None:
    with pytest.raises(UnknownNameError, match=r'Did you mean "weathub-d[ae]"') as refused:
        concept("weathub-dd")
    assert len(str(refused.value)) < 240


def made_of(words: list[str], seed: int = 0) -> WordVectors:
    """Random vectors for words, each once."""
    unique = list(dict.fromkeys(words))
    matrix = np.random.default_rng(seed).normal(size=(len(unique), 12)).astype(np.float32)
    return WordVectors(Vocabulary.of(unique), matrix, Lineage("made"))


@pytest.mark.parametrize("code", ["de", "tr", "hi", "zh", "th", "ar", "ru", "vi"])
def test_vectors_of_another_language_are_recognised(code: str) -> None:
    name = f"weathub-{code}"
    vectors = made_of([*concept(name).all_words])
    fit = better_fit(vectors, concept("gender"), "lower")
    assert fit is not None
    assert fit.concept == name
    assert fit.share == 1
    with pytest.raises(NothingMeasuredError, match=f"try --concept {name}"):
        audit(vectors, "gender", quality=False)


@pytest.mark.parametrize("name", ["gender", "race", "religion", "caliskan"])
def test_no_other_language_is_suggested_for_english_vectors(name: str, glove: WordVectors) -> None:
    assert better_fit(glove, concept(name), "lower") is None
    assert not audit(glove, name, quality=False, jobs=[]).record.warnings


def test_english_is_suggested_for_english_vectors_asked_in_another_language(
    glove: WordVectors,
) -> None:
    fit = better_fit(glove, concept("weathub-ru"), "lower")
    assert fit is not None
    assert fit.concept == "weathub-en"
    assert fit.share == share_found(glove, concept("weathub-en"), "lower")
    assert fit.share_asked < 0.1


def test_an_audit_in_its_own_language_runs_and_names_it() -> None:
    vectors = made_of([*concept("weathub-hi").all_words])
    record = audit(vectors, "weathub-hi", quality=False).record
    assert record.settings["language"] == "Hindi"
    assert record.warnings == ()
    weat = [result.now for result in record.results if result.now.metric == "weat"]
    assert len(weat) == 13
    assert all(use.missing == () for item in weat for use in item.words)


def test_an_audit_that_still_runs_says_which_language_fits_better() -> None:
    german = [*concept("weathub-de").all_words]
    test = concept("weathub-tr").test("6")
    turkish = [word for words in sets_of(test) for word in words]
    record = audit(made_of([*german, *turkish]), "weathub-tr", quality=False).record
    assert any(result.now.value is not None for result in record.results)
    assert "try --concept weathub-de" in record.warnings[0]
    assert "(Turkish)" in record.warnings[0]
    assert "(German)" in record.warnings[0]


def test_decomposed_vectors_and_joined_expressions_are_found() -> None:
    test = concept("weathub-vi").test("1")
    words = [word for part in sets_of(test) for word in part]
    assert sum(" " in word for word in words) > 50
    spelt = [unicodedata.normalize("NFD", word).replace(" ", "_") for word in words]
    found = made_of(spelt).lookup(words, WordPolicy().case)
    assert found.missing == ()
    assert list(found.forms) == spelt
