"""Random controls: as many directions as a method touches, other seeds, and the headline."""

from dataclasses import replace

import numpy as np
import pytest

from tests.spaces import space
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import UnslantError
from unslant.core.read_record import record_from
from unslant.core.record import Record
from unslant.core.verdicts.changes import ENOUGH, shares_of
from unslant.measures.running import measure
from unslant.methods.pipeline import debias, fit
from unslant.methods.streaming import debiased
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import jobs_of
from unslant.studies.debiasing import debiasing, jobs_for
from unslant.studies.random_controls import Match, match_between, match_for
from unslant.vectors import WordVectors

GENDER = concept("gender")
QUICK = [job for job in jobs_for(GENDER, "main") if job[0].name in ("weat", "direct-bias")]
DROP = WordPolicy(missing="drop")


def done(method: str, glove: WordVectors) -> Record:
    eraser = fit(method, glove, GENDER)
    after = debiased(glove, eraser)
    return debiasing(glove, after, eraser, GENDER, DROP, jobs=QUICK).record


def test_a_random_direction_does_not_reduce_the_bias_and_a_method_does(glove: WordVectors) -> None:
    random = done("random(seed=101)", glove)
    assert random.conclusion is not None
    assert random.conclusion.outcome == "undecided"
    assert random.conclusion.sentence.startswith("Undecided: random(seed=101) changed the bias by")
    assert any(result.change and result.change.verdict == "better" for result in random.results)
    assert not any(result.finding and result.finding.mark for result in random.results)
    for method in ("hard", "linear"):
        found = done(method, glove).conclusion
        assert found is not None
        assert found.outcome == "reduced"
        assert found.removed is not None
        assert found.removed_by_chance is not None
        assert found.removed > found.removed_by_chance


def test_the_record_has_the_controls_and_gives_the_same_verdict_again(glove: WordVectors) -> None:
    record = done("misp", glove)
    assert record.controls is not None
    assert (record.controls.draws, record.controls.directions) == (ENOUGH, 4)
    controlled = [result for result in record.results if result.control]
    assert {len(result.control.values) for result in controlled if result.control} == {ENOUGH}
    plain = record.to_dict()
    again = record_from({**plain, "conclusion": None})
    assert again.conclusion == record.conclusion
    assert shares_of(controlled).controls == shares_of(again.results).controls


def test_a_control_has_the_value_of_that_random_removal(glove: WordVectors) -> None:
    record = done("random(seed=1, k=2)", glove)
    [job, *_] = QUICK
    control = record.results[0].control
    assert control is not None
    other = debias("random(seed=2, k=2)", glove, GENDER)  # 1 is the seed of the method itself
    expected = measure(job[0], other, job[1], DROP, baseline=glove).value
    assert control.values[1] == expected
    assert match_for(fit("random(seed=1, k=2)", glove, GENDER)).seeds(3) == [0, 2, 3]
    assert record.results[0].now.value not in control.values


@pytest.mark.parametrize(
    ("method", "least", "most"),
    [("linear", 1, 1), ("misp", 4, 4), ("hard", 1, 8), ("random(k=3)", 3, 3), ("leace", 1, 1)],
)
def test_the_number_of_directions_between_two_files_is_estimated(
    method: str, least: int, most: int, glove: WordVectors
) -> None:
    found = match_between(glove, debias(method, glove, GENDER))
    assert least <= found.directions <= most


def test_spaces_that_no_control_matches_leave_the_headline_undecided(glove: WordVectors) -> None:
    rng = np.random.default_rng(0)
    small = glove.head(8000)
    noisy = space(list(small.words), small.matrix + rng.normal(0, 0.1, small.matrix.shape), "noisy")
    assert "most directions" in match_between(small, noisy).why_none
    assert "do not differ" in match_between(small, small).why_none
    assert "widths" in match_between(small, debias("drop-last", small, GENDER)).why_none
    assert "few words" in match_between(small, small.head(50)).why_none
    found = audit(noisy, GENDER, DROP, baseline=small, jobs=QUICK[:3]).record
    assert found.controls is not None
    assert not found.controls.draws
    assert found.conclusion is not None
    assert found.conclusion.sentence.startswith(
        "Undecided: whether the bias changed cannot be told from chance: the two sets of vectors"
    )


def test_an_eraser_without_a_number_of_directions_has_no_control(glove: WordVectors) -> None:
    match = match_for(fit("ran(vocabulary=2000, steps=5)", glove.head(3000), GENDER))
    assert match == Match(
        why_none="no number of random directions matches what ran(vocabulary=2000, steps=5) does"
    )


def test_values_alone_are_the_values_of_the_whole_measurement(glove: WordVectors) -> None:
    small = glove.head(6000)
    after = debias("linear", small, GENDER)
    slow = ("gipe", "rnsb", "biased-analogies", "eqt", "mdl", "clustering")
    known: set[str] = set()
    for call, subject in jobs_of(GENDER, quality=False, refitted=True):
        if call.name in (*slow, *known):
            continue
        known.add(call.name)
        try:
            whole = measure(call, after, subject, DROP, baseline=small)
        except UnslantError:
            continue
        alone = measure(call, after, subject, DROP, baseline=small, values_only=True)
        assert alone.value == whole.value, str(call)
        assert replace(alone, interval=None).better == whole.better
    assert {"weat", "sc-weat", "direct-bias", "recoverability", "same"} <= known
