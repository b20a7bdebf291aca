import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from unslant.concepts import WordPolicy, bundled_concepts, concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import MissingWordsError, OutputError, UnslantError
from unslant.core.measurement import Measurement
from unslant.measures.running import measure
from unslant.studies.audit import Audit, audit
from unslant.studies.audit_jobs import Job, jobs_of
from unslant.vectors import WordVectors

Audited = Callable[[str], Audit]


@pytest.fixture(scope="module")
def audited(glove: WordVectors) -> Audited:
    """The whole audit of each concept, made once for all tests of this module."""
    return cache(lambda name: audit(glove, concept(name), quality=False))


def first_and_quality(name: str) -> list[Job]:
    """The first job of a concept, and those of the benchmarks."""
    first, *others = jobs_of(concept(name))
    return [first, *(job for job in others if job[1] is None)]


ENGLISH = [n for n in bundled_concepts() if concept(n).language == "en"]


@pytest.mark.parametrize("name", [n for n in ENGLISH if concept(n).items == "words"])
def test_every_bundled_concept_can_be_audited(name: str, audited: Audited, tmp_path: Path) -> None:
    result = audited(name)
    assert result.measurements
    page, record = result.save(tmp_path / "a.html"), result.save(tmp_path / "a.json")
    assert page.read_text().startswith("<!doctype html>")
    assert json.loads(record.read_text()) == result.to_dict()


def test_a_concept_of_sentences_is_refused_for_word_vectors(glove: WordVectors) -> None:
    with pytest.raises(UnslantError, match=r"consists of sentences, and .* has only words"):
        audit(glove, "seat")


def test_a_number_can_be_made_again_from_its_record(audited: Audited, glove: WordVectors) -> None:
    religion = concept("religion")
    for item in audited("religion").measurements:
        told = item.parameters
        _, _, test = told["subject"].partition("/")
        subject = religion.test(test) if test else religion
        policy = WordPolicy(missing=told["missing"], case=told["case"])
        assert measure(told["expression"], glove, subject, policy) == item


def test_two_runs_are_equal_to_the_byte_and_progress_is_told(
    audited: Audited, glove: WordVectors
) -> None:
    steps: list[tuple[str, int, int]] = []
    again = audit(glove, concept("age"), quality=False, progress=lambda *told: steps.append(told))
    assert json.dumps(again.to_dict()) == json.dumps(audited("age").to_dict())
    total = len(again.measurements)
    assert [(done, of) for _, done, of in steps] == [(n, total) for n in range(total)]


def test_missing_words_are_dropped_and_listed_unless_told_otherwise(glove: WordVectors) -> None:
    few = glove.only([word for word in glove.words if word not in ("tiffany", "nurse")])
    result = audit(few, concept("age"), quality=False)
    missing = {word for item in result.measurements for use in item.words for word in use.missing}
    assert {"Tiffany", "nurse"} <= missing
    with pytest.raises(MissingWordsError):
        audit(few, concept("age"), WordPolicy(missing="fail"))


def test_a_test_that_cannot_run_is_left_out_with_the_reason(audited: Audited) -> None:
    terms = [item for item in audited("race").record.left_out if "terms-pleasant" in item.what]
    assert terms
    assert all("none of the" in item.why for item in terms)


def test_a_list_may_have_a_name_of_several_words(glove: WordVectors) -> None:
    text = """
        name = "pets"
        groups = ["cat", "dog"]
        direction = "pair-difference(cat, dog)"
        words = { cat = ["cat"], dog = ["dog"] }
        neutral = { "job titles (mine)" = ["nurse", "doctor", "baker"] }
    """
    found = audit(glove, parse_concept(text, "pets.toml"), quality=False)
    [lean] = [item for item in found.measurements if item.metric == "direct-bias"]
    assert lean.words[0].used == ("nurse", "doctor", "baker")


def test_quality_benchmarks_without_their_data_are_one_sentence(
    glove: WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNSLANT_DATA", raising=False)
    [left_out] = audit(glove, "age", jobs=first_and_quality("age")).record.left_out
    assert "analogy(dataset=msr)" in left_out.what
    assert "unslant files fetch all" in left_out.why


def test_a_baseline_stands_beside_the_vectors_only_where_the_words_agree(
    glove: WordVectors,
) -> None:
    fewer = glove.only([word for word in glove.words if word != "amy"])
    some = ("weat", "mac", "direct-bias(neutral=occupations")
    jobs = [
        job for job in jobs_of(concept("gender"), refitted=True) if str(job[0]).startswith(some)
    ]
    results = audit(fewer, "gender", baseline=glove, jobs=jobs).record.results
    assert all(result.before for result in results)
    marked = [result.now for result in results if result.not_comparable]
    assert {item.metric for item in marked} >= {"weat", "mac"}
    assert not any(item.title.startswith("Lean of occ") for item in marked)


def test_a_report_has_one_of_two_endings(audited: Audited, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"\.html or \.json"):
        audited("age").save(tmp_path / "a.pdf")


def test_measurements_come_back_as_values(glove: WordVectors) -> None:
    found = audit(glove, "age", jobs=first_and_quality("age")).measurements
    assert all(isinstance(item, Measurement) for item in found)
