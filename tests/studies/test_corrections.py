"""Corrected p-values belong to what was measured, not to a title."""

from dataclasses import replace

import pytest

from unslant.concepts import concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import ConceptError
from unslant.numerics.multiplicity import benjamini_hochberg, holm
from unslant.reports import words
from unslant.studies.audit import Job, audit
from unslant.vectors import WordVectors

GENDER = concept("gender")


def test_two_tests_with_one_title_keep_their_own_values(glove: WordVectors) -> None:
    alike = [
        replace(GENDER.test(name), title="one title")
        for name in ("career-family", "career-family-terms", "science-arts")
    ]
    jobs: list[Job] = [("weat(random_lists=0)", test) for test in alike]
    jobs.append(("weat(ddof=0, random_lists=0)", alike[0]))
    record = audit(glove, GENDER, jobs=jobs).older
    p = [item["p"]["value"] for item in record["measurements"]]
    for method, corrected in (("holm", holm), ("benjamini-hochberg", benjamini_hochberg)):
        found = [words.corrected(record, item, method) for item in record["measurements"]]
        assert found == corrected(p).tolist()
        assert len(record["corrections"]["weat"][method]) == len(jobs)


def test_an_older_record_is_read_by_its_titles() -> None:
    item = {
        "metric": "weat",
        "title": "one",
        "parameters": {"expression": "weat", "subject": "gender/one"},
    }
    record = {"corrections": {"weat": {"holm": {"one": 0.25}}}}
    assert words.corrected(record, item, "holm") == 0.25


def test_a_concept_with_two_equal_titles_is_refused_by_the_names_of_the_tests() -> None:
    test = 'title = "the same"\ntargets = {x=["a"], y=["b"]}\nattributes = {u=["c"], v=["d"]}'
    text = f'name = "t"\n[tests.one]\n{test}\n[tests.other]\n{test}\n'
    with pytest.raises(ConceptError, match='"one" and "other" have the same title'):
        parse_concept(text, "t.toml")
