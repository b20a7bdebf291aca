"""The headline of a comparison: the lean along the direction of before, the same everywhere."""

from typing import Any

import numpy as np
import pytest

from unslant.concepts import WordPolicy, concept
from unslant.methods import debias
from unslant.reports import words
from unslant.reports.answers import answer
from unslant.reports.figures.extremes import extremes
from unslant.reports.figures.scatter import scatter
from unslant.studies.audit import audit, jobs_of
from unslant.vectors import WordVectors

GENDER = concept("gender")
METHODS = ("linear", "hard", "double-hard", "leace", "inlp", "misp", "sal", "bam")


@pytest.fixture(scope="module")
def changed(glove: WordVectors) -> dict[str, WordVectors]:
    return {name: debias(name, glove, GENDER) for name in METHODS}


@pytest.fixture(scope="module")
def records(glove: WordVectors, changed: dict[str, WordVectors]) -> dict[str, dict[str, Any]]:
    jobs = [job for job in jobs_of(GENDER, refitted=True) if "neutral=occupations" in job[0]]
    return {
        name: audit(after, GENDER, baseline=glove, jobs=jobs).older
        for name, after in changed.items()
    }


def headline(record: dict[str, Any]) -> dict[str, Any]:
    [item] = words.leans(record)
    return dict(item)


def along_she_minus_he(glove: WordVectors, after: WordVectors) -> float:
    """The mean |cosine| of the occupations with the original difference, written out."""
    g = glove["she"].astype(float) - glove["he"].astype(float)
    g /= np.linalg.norm(g)
    listed = GENDER.list("occupations").all_words
    rows = [after[word].astype(float) for word in listed if word in after]
    return float(np.mean([abs(row @ g) / np.linalg.norm(row) for row in rows]))


def test_methods_rank_by_the_headline_as_along_the_original_direction(
    glove: WordVectors, changed: dict[str, WordVectors], records: dict[str, dict[str, Any]]
) -> None:
    told = {name: headline(record)["value"] for name, record in records.items()}
    true = {name: along_she_minus_he(glove, after) for name, after in changed.items()}
    assert told == pytest.approx(true, abs=1e-6)
    assert sorted(told, key=lambda name: told[name]) == sorted(true, key=lambda name: true[name])


def test_no_headline_rests_on_a_direction_that_resampling_does_not_give_again(
    records: dict[str, dict[str, Any]],
) -> None:
    for record in records.values():
        details = headline(record)["details"]
        assert details["cosine of resampled directions"] >= 0.9
        for item in words.leans_refitted(record):
            assert item["value"] is None or item["details"]["cosine of resampled directions"] >= 0.9
    [anew] = words.leans_refitted(records["inlp"])
    assert anew["value"] is None


def test_scatter_bars_and_answer_of_a_report_tell_the_same(
    records: dict[str, dict[str, Any]],
) -> None:
    for name, record in records.items():
        item = headline(record)
        gap = np.array([p["first cosine"] - p["second cosine"] for p in item["points"]])
        lean = np.array([p["projection"] for p in item["points"]])
        if np.abs(lean).max() > 1e-3:
            assert np.corrcoef(gap, lean)[0, 1] > 0.95, name
        [bars], [points] = extremes(record), scatter(record)
        assert "of before" in bars.caption
        assert "before debiasing" in points.caption
        assert words.number(item["value"]) in " ".join(answer(record))


def test_an_audit_with_a_baseline_measures_both_and_without_one_the_first_alone(
    glove: WordVectors,
) -> None:
    small = glove.head(3000)
    after = debias("linear", small, GENDER)
    policy = WordPolicy(missing="drop")
    with_baseline = [job[0] for job in jobs_of(GENDER, refitted=True)]
    assert sum("of=refitted" in text for text in with_baseline) == len(GENDER.neutral)
    assert not any("refitted" in job[0] for job in jobs_of(GENDER))
    jobs = [job for job in jobs_of(GENDER, refitted=True) if "professions" in job[0]]
    record = audit(after, GENDER, policy, baseline=small, jobs=jobs[:2]).older
    assert len(words.leans(record)) == 1
