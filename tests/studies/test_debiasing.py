"""What a debias run records: measures before and after, movement, and where it all came from."""

import json

import pytest

from unslant.concepts import concept
from unslant.core.errors import UnknownNameError
from unslant.core.measurement import Measurement
from unslant.core.read_record import record_from
from unslant.methods import debiased, fit
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


def value(items: list[dict[str, object]], expression: str) -> float | None:
    for item in items:
        found = Measurement.from_dict(item)
        if found.parameters["expression"] == expression:
            return found.value
    raise AssertionError(f"{expression} was not measured")


def test_the_main_measures_stand_there_before_and_after(hard: Audit) -> None:
    record = hard.older
    assert {item["metric"] for item in record["measurements"]} >= {"weat", "sembias", "midb"}
    assert {item["metric"] for item in record["measurements"]} <= set(MAIN)
    assert len(record["before"]) == len(record["measurements"])
    lean = "direct-bias(neutral=neutral-words)"
    before, after = value(record["before"], lean), value(record["measurements"], lean)
    assert before is not None
    assert after is not None
    assert before > after > 0.05  # hard takes out the pairs' direction, which is not she − he
    anew = value(record["measurements"], "direct-bias(neutral=neutral-words, of=refitted)")
    assert anew is not None
    assert anew < 0.01


def test_the_record_says_what_was_done_and_on_what(hard: Audit) -> None:
    done = hard.older["debiasing"]
    assert done["expression"] == "hard | misp"
    first, second = done["stages"]
    assert first["inputs"]["vectors_sha256"] == hard.older["baseline"]["content_sha256"]
    assert second["inputs"]["vectors"] == "glove.6B.100d.slice.hard"
    assert "removes-subspace" in first["guarantees"]
    assert done["movement"]["share_changed"] == 1
    assert json.loads(json.dumps(hard.older, allow_nan=False)) == hard.older


def test_the_page_tells_it_too(hard: Audit) -> None:
    text = page(hard.record)
    assert "What was done" in text
    assert "hard | misp" in text
    assert "of 35,313 vectors changed" in text


def test_hostile_words_of_a_fit_are_escaped(hard: Audit) -> None:
    record = json.loads(json.dumps(hard.older))
    bad = "<script>alert(1)</script>"
    stage = record["debiasing"]["stages"][0]
    stage["details"] = {bad: bad}
    stage["warnings"] = [bad]
    stage["expression"] = stage["cites"] = stage["reference"] = bad
    stage["words"] = [{"set": "x", "used": [], "spelt": [], "missing": [bad], "set_aside": []}]
    record["debiasing"]["movement"]["moved_most"] = [{"word": bad, "degrees": 1.0}]
    assert "<script>alert" not in page(record_from(record))


def test_nothing_is_measured_where_nothing_is_asked_for() -> None:
    record = run("linear", extent="none").older
    assert record["measurements"] == record["before"] == []
    assert record["debiasing"]["movement"]["words"] == 35_313
    with pytest.raises(UnknownNameError, match="main"):
        run("linear", extent="mian")


def test_another_concept_has_its_own_measures() -> None:
    record = run("linear", name="religion", limit=12_000).older
    assert record["concept"]["name"] == "religion"
    assert {item["metric"] for item in record["measurements"]} >= {"weat", "direct-bias"}
