"""The headline of a comparison: the lean along the direction of before, the same everywhere."""

import numpy as np
import pytest

from unslant.concepts import WordPolicy, concept
from unslant.core.measurement import Measurement
from unslant.core.record import Record
from unslant.core.wording import number
from unslant.methods.pipeline import debias
from unslant.reports.answers import answer
from unslant.reports.figures.of_record import figures_of
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import jobs_of
from unslant.vectors import WordVectors

GENDER = concept("gender")
STEADY = "cosine-of-resampled-directions"
METHODS = ("linear", "hard", "double-hard", "leace", "inlp", "misp", "sal", "bam")


@pytest.fixture(scope="module")
def changed(glove: WordVectors) -> dict[str, WordVectors]:
    return {name: debias(name, glove, GENDER) for name in METHODS}


@pytest.fixture(scope="module")
def records(glove: WordVectors, changed: dict[str, WordVectors]) -> dict[str, Record]:
    jobs = [job for job in jobs_of(GENDER, refitted=True) if "neutral=occupations" in str(job[0])]
    return {
        name: audit(after, GENDER, baseline=glove, jobs=jobs).record
        for name, after in changed.items()
    }


def leans(record: Record, *, refitted: bool = False) -> list[Measurement]:
    found = [item.now for item in record.results if item.now.metric == "direct-bias"]
    return [item for item in found if (item.parameters["of"] == "refitted") == refitted]


def headline(record: Record) -> Measurement:
    [item] = leans(record)
    return item


def along_she_minus_he(glove: WordVectors, after: WordVectors) -> float:
    """The mean |cosine| of the occupations with the original difference, written out."""
    g = glove["she"].astype(float) - glove["he"].astype(float)
    g /= np.linalg.norm(g)
    listed = GENDER.list("occupations").all_words
    rows = [after[word].astype(float) for word in listed if word in after]
    return float(np.mean([abs(row @ g) / np.linalg.norm(row) for row in rows]))


def test_methods_rank_by_the_headline_as_along_the_original_direction(
    glove: WordVectors, changed: dict[str, WordVectors], records: dict[str, Record]
) -> None:
    told = {name: headline(record).value or 0.0 for name, record in records.items()}
    true = {name: along_she_minus_he(glove, after) for name, after in changed.items()}
    assert told == pytest.approx(true, abs=1e-6)
    assert sorted(told, key=lambda name: told[name]) == sorted(true, key=lambda name: true[name])


def test_no_headline_rests_on_a_direction_that_resampling_does_not_give_again(
    records: dict[str, Record],
) -> None:
    for record in records.values():
        assert float(headline(record).details[STEADY] or 0) >= 0.9
        for item in leans(record, refitted=True):
            assert item.value is None or float(item.details[STEADY] or 0) >= 0.9
    [anew] = leans(records["inlp"], refitted=True)
    assert anew.value is None


def test_scatter_bars_and_answer_of_a_report_tell_the_same(
    records: dict[str, Record],
) -> None:
    for name, record in records.items():
        item = headline(record)
        cosines = [(float(p["first-cosine"]), float(p["second-cosine"])) for p in item.points]
        gap = np.array([first - second for first, second in cosines])
        lean = np.array([float(p["projection"]) for p in item.points])
        if np.abs(lean).max() > 1e-3:
            assert np.corrcoef(gap, lean)[0, 1] > 0.95, name
        assert len(figures_of(record)) >= 2
        assert number(item.value) in " ".join(answer(record))


def test_an_audit_with_a_baseline_measures_both_and_without_one_the_first_alone(
    glove: WordVectors,
) -> None:
    small = glove.head(3000)
    after = debias("linear", small, GENDER)
    policy = WordPolicy(missing="drop")
    with_baseline = [str(job[0]) for job in jobs_of(GENDER, refitted=True)]
    assert sum("of=refitted" in text for text in with_baseline) == len(GENDER.neutral)
    assert not any("refitted" in str(job[0]) for job in jobs_of(GENDER))
    jobs = [job for job in jobs_of(GENDER, refitted=True) if "professions" in str(job[0])]
    record = audit(after, GENDER, policy, baseline=small, jobs=jobs[:2]).record
    assert len(leans(record)) == 1
