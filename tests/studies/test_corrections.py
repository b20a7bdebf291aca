"""Corrected p-values belong to what was measured, not to a title."""

from dataclasses import replace

import pytest

from unslant.concepts import concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import ConceptError
from unslant.numerics.permutation import benjamini_hochberg, holm
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import GivenJob
from unslant.vectors import WordVectors

GENDER = concept("gender")


def test_two_tests_with_one_title_keep_their_own_values(glove: WordVectors) -> None:
    alike = [
        replace(GENDER.test(name), title="one title")
        for name in ("career-family", "career-family-terms", "science-arts")
    ]
    jobs: list[GivenJob] = [("weat(random_lists=0)", test) for test in alike]
    jobs.append(("weat(ddof=0, random_lists=0)", alike[0]))
    results = audit(glove, GENDER, jobs=jobs).record.results
    p = [result.now.p.value for result in results if result.now.p]
    found = [result.corrected for result in results if result.corrected]
    assert len(p) == len(found) == len(jobs)
    assert [item.holm for item in found] == holm(p).tolist()
    assert [item.benjamini_hochberg for item in found] == benjamini_hochberg(p).tolist()


def test_a_concept_with_two_equal_titles_is_refused_by_the_names_of_the_tests() -> None:
    test = 'title = "the same"\ntargets = {x=["a"], y=["b"]}\nattributes = {u=["c"], v=["d"]}'
    text = f'name = "t"\n[tests.one]\n{test}\n[tests.other]\n{test}\n'
    with pytest.raises(ConceptError, match='"one" and "other" have the same title'):
        parse_concept(text, "t.toml")
