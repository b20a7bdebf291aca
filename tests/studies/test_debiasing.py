"""What a debias run records: measures before and after, movement, and where it all came from."""

from dataclasses import replace

import pytest

from unslant.concepts import concept
from unslant.core.errors import UnknownNameError
from unslant.core.measurement import WordUse
from unslant.core.read_record import record_from
from unslant.core.record import Moved
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.reports.page import page
from unslant.studies.audit import Audit
from unslant.studies.debiasing import MAIN, debiasing
from unslant.vectors import load

GENDER = concept("gender")


def run(
    expression: str, extent: str = "main", name: str = "gender", limit: int | None = None
) -> Audit:
    vectors, subject = load(limit=limit), concept(name)
    eraser = fit(expression, vectors, subject)
    return debiasing(vectors, debiased(vectors, eraser), eraser, subject, extent=extent)


@pytest.fixture(scope="module")
def hard() -> Audit:
    return run("hard | misp")


def test_the_main_measures_are_there_before_and_after(hard: Audit) -> None:
    results = {result.now.parameters["expression"]: result for result in hard.record.results}
    metrics = {result.now.metric for result in results.values()}
    assert {"weat", "sembias", "midb"} <= metrics <= set(MAIN)
    assert all(result.before and result.change for result in results.values())
    lean = results["direct-bias(neutral=neutral-words)"]
    assert lean.change is not None
    assert lean.change.verdict == "better"
    before, after = (lean.before and lean.before.value) or 0, lean.now.value or 0
    assert before > after > 0.05  # hard takes out the pairs' direction, which is not she − he
    again = results["direct-bias(neutral=neutral-words, of=refitted)"].now.value
    assert again is not None
    assert again < 0.01


def test_the_record_says_what_was_done_and_on_what(hard: Audit) -> None:
    done, baseline = hard.record.treatment, hard.record.baseline
    assert done is not None
    assert baseline is not None
    assert done.expression == "hard | misp"
    first, second = done.stages
    assert first.inputs["vectors_sha256"] == baseline.sha256
    assert second.inputs["vectors"] == "glove.6B.100d.slice.hard"
    assert "removes-subspace" in first.guarantees
    assert done.movement is not None
    assert done.movement.share_changed == 1
    assert record_from(hard.to_dict()) == hard.record


def test_the_page_tells_it_too(hard: Audit) -> None:
    text = page(hard.record)
    assert "What was done" in text
    assert "hard | misp" in text
    assert "of 35,313 vectors changed" in text


def test_hostile_words_of_a_fit_are_escaped(hard: Audit) -> None:
    bad = "<script>alert(1)</script>"
    done = hard.record.treatment
    assert done is not None
    assert done.movement is not None
    stage = replace(
        done.stages[0],
        details={bad: bad},
        warnings=(bad,),
        expression=bad,
        cites=bad,
        reference=bad,
        words=(WordUse(set="x", used=(), missing=(bad,)),),
    )
    movement = replace(done.movement, moved_most=(Moved(word=bad, degrees=1.0),))
    treatment = replace(done, stages=(stage,), movement=movement)
    assert "<script>alert" not in page(replace(hard.record, treatment=treatment))


def test_nothing_is_measured_if_nothing_is_asked_for() -> None:
    record = run("linear", extent="none").record
    assert record.results == ()
    assert record.treatment is not None
    assert record.treatment.movement is not None
    assert record.treatment.movement.words == 35_313
    with pytest.raises(UnknownNameError, match="main"):
        run("linear", extent="mian")


def test_another_concept_has_its_own_measures() -> None:
    found = run("linear", name="religion", limit=12_000)
    assert found.record.subject.name == "religion"
    assert {item.metric for item in found.measurements} >= {"weat", "direct-bias"}
