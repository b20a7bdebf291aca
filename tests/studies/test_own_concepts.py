"""Results on a concept of the user's own hold its words: records alone give the numbers again."""

import json
from pathlib import Path
from typing import Any

import pytest

from unslant.concepts import Concept, WordPolicy, bundled_concepts, concept
from unslant.concepts.read import concept_from_table, definition, own_definition, parse_concept
from unslant.core.read_record import record_from
from unslant.measures.running import measure
from unslant.studies.audit import audit
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.studies.study_record import study_record
from unslant.vectors import WordVectors

PETS = """
name = "pets"
title = "Cats and dogs"
groups = ["cat", "dog"]
direction = "pair-pca(definitional)"
alternatives = ["two-means(words)"]
measures = ["clustering(k=20)", "ripa"]
[words]
cat = ["cat", "cats", "kitten", "feline"]
dog = ["dog", "dogs", "puppy", "canine"]
[sets.definitional]
columns = ["cat", "dog"]
rows = [["cat", "dog"], ["cats", "dogs"], ["kitten", "puppy"], ["feline", "canine"]]
[neutral]
"job titles" = "dev-2020/occupations"
[tests.pleasantness]
title = "Pets and pleasantness"
targets = { cats = ["cat", "cats", "kitten", "zzqx"], dogs = ["dog", "dogs", "puppy", "canine"] }
attributes = { good = "caliskan-2017/pleasant", bad = "caliskan-2017/unpleasant" }
"""


@pytest.fixture
def pets() -> Concept:
    return parse_concept(PETS, "pets.toml")


def through_a_file(record: Any) -> Any:
    """The record as somebody finds it who has nothing else."""
    return json.loads(json.dumps(record))


@pytest.mark.parametrize("name", bundled_concepts())
def test_every_concept_can_be_made_again_from_its_definition(name: str) -> None:
    known = concept(name)
    again = concept_from_table(through_a_file(definition(known)), "a record")
    assert again.content_hash == known.content_hash
    assert definition(again) == definition(known)
    for test in known.tests.values():
        alone = concept_from_table(through_a_file(definition(test)), "a record").test(test.name)
        assert (alone.content_hash, str(alone)) == (test.content_hash, str(test))


def test_only_concepts_of_the_users_own_are_written_down(pets: Concept) -> None:
    gender = concept("gender")
    assert own_definition(gender) is None
    assert own_definition(gender.test("career-family")) is None
    assert own_definition(pets) == definition(pets)
    impostor = parse_concept(PETS.replace('"pets"', '"gender"'), "gender.toml")
    assert own_definition(impostor) == definition(impostor)
    assert own_definition(impostor.test("pleasantness")) is not None


def test_every_number_of_an_audit_is_made_again_from_its_record_alone(
    pets: Concept, glove: WordVectors
) -> None:
    record = record_from(through_a_file(audit(glove, pets, quality=False).to_dict()))
    assert record.subject.definition is not None
    again = concept_from_table(record.subject.definition, "the record")
    assert again.content_hash == record.subject.sha256
    assert len(record.results) > 8
    for item in (result.now for result in record.results):
        told = item.parameters
        test = told["subject"].partition("/")[2]
        policy = WordPolicy(missing=told["missing"], case=told["case"])
        subject = again.test(test) if test else again
        found = measure(told["expression"], glove, subject, policy).to_dict()
        found["parameters"].pop("definition")
        assert found == item.to_dict()
    assert audit(glove, again, quality=False).record == record


def test_a_single_measurement_holds_its_words_too(pets: Concept, glove: WordVectors) -> None:
    drop = WordPolicy(missing="drop")
    for expression, subject in (("weat", pets.test("pleasantness")), ("direct-bias", pets)):
        item = through_a_file(measure(expression, glove, subject, drop).to_dict())
        again = concept_from_table(item["parameters"]["definition"], "the record")
        which = again.test("pleasantness") if expression == "weat" else again
        assert measure(expression, glove, which, drop).to_dict() == item
    bundled = measure("weat", glove, concept("gender").test("career-family"))
    assert "definition" not in bundled.parameters


def test_a_study_holds_its_words_once_for_all_cells(glove: WordVectors, tmp_path: Path) -> None:
    (tmp_path / "pets.toml").write_text(PETS)
    (tmp_path / "plan.toml").write_text(
        """
        [resources]
        glove = "builtin"
        [methods]
        original = ""
        linear = "linear"
        [measures]
        weat = { measure = "weat", test = "pleasantness" }
        lean = "direct-bias"
        [[matrix]]
        concept = "pets.toml"
        """
    )
    store = Store(tmp_path / "s")
    assert run(read_plan(tmp_path / "plan.toml"), store).is_complete
    (tmp_path / "pets.toml").write_text(PETS.replace('"kitten"', '"kittens"'))
    assert run(read_plan(tmp_path / "plan.toml"), store).done == 4
    (tmp_path / "pets.toml").unlink()

    record = study_record(store.folder)
    concepts = record.subject.definition
    assert record.study is not None
    assert isinstance(concepts, dict)
    assert len(concepts) == 2, "those of cells of an earlier version are kept too"
    for cell in record.study.cells:
        assert "definition" not in cell.parameters
        told, about = cell.parameters, concepts[cell.concept_sha256]
        assert isinstance(about, dict)
        again = concept_from_table(about, "the record")
        if cell.method == "original":
            subject = again.test("pleasantness") if cell.measure == "weat" else again
            policy = WordPolicy(missing=told["missing"], case=told["case"])
            assert measure(told["expression"], glove, subject, policy).value == cell.value
