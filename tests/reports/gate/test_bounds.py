"""Bounds of a gate, worked out by hand."""

import pytest

from tests.reports.gate.records import measured, record
from unslant.core.errors import UnslantError
from unslant.reports.gate.check import Bound, Check, Judge, bound_checks, exit_code, refuse_empty

AUDIT = record(
    measured("weat", 0.4, 0.1, 0.7, test="career-family"),
    measured("weat", -0.9, -1.2, -0.6, test="math-arts"),
    measured("lean", 0.1, 0.05, 0.15, expression="lean(neutral=a)"),
    measured("analogy", 0.6, 0.55, 0.65),
    measured("share", 0.55, 0.45, 0.6),
    measured("lean", 0.2, expression="lean(neutral=b)"),
    measured("weat", None, test="lost"),
)


def statuses(side: str, text: str, judge: Judge = "interval") -> list[str]:
    bound = Bound.of(side, text)  # type: ignore[arg-type]
    return [check.status for check in bound_checks(AUDIT, bound, judge)]


@pytest.mark.parametrize(
    ("side", "text", "by_interval", "by_value"),
    [
        ("max", "weat:career-family=0.7", "passed", "passed"),
        ("max", "weat:career-family=0.5", "failed", "passed"),
        ("max", "weat:career-family=0.3", "failed", "failed"),
        ("max", "weat:math-arts=0.5", "failed", "failed"),
        ("max", "weat:math-arts=1.2", "passed", "passed"),
        ("min", "weat:math-arts=-1.2", "passed", "passed"),
        ("min", "weat:math-arts=−1.0", "failed", "passed"),
        ("max", "lean(neutral=a)=0.15", "passed", "passed"),
        ("max", "lean(neutral=a)=0.12", "failed", "passed"),
        ("min", "analogy=0.55", "passed", "passed"),
        ("min", "analogy=0.58", "failed", "passed"),
        ("max", "share=0.6", "passed", "passed"),
        ("max", "share=0.54", "failed", "failed"),
        ("max", "lean(neutral=b)=0.5", "not judged", "passed"),
        ("max", "weat:lost=0.5", "not judged", "not judged"),
    ],
)
def test_a_bound_must_hold_for_the_worse_end_of_the_interval(
    side: str, text: str, by_interval: str, by_value: str
) -> None:
    assert statuses(side, text) == [by_interval]
    assert statuses(side, text, "value") == [by_value]


def test_a_measure_without_a_test_names_all_its_results() -> None:
    assert statuses("max", "weat=0.8", "value") == ["passed", "failed", "not judged"]
    names = [check.name for check in bound_checks(AUDIT, Bound("max", "lean", 1.0), "value")]
    assert names == ["lean(neutral=a)", "lean(neutral=b)"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("weat", "takes a name and a number"),
        ("weat=much", "takes a name and a number"),
        ("weat=nan", "takes a name and a number"),
        ("=0.5", "takes a name and a number"),
        ("weat:carer-family=0.5", 'Did you mean "weat:career-family"?'),
        ("share=0.4", "closer to 0.5 is better, so no value could pass"),
    ],
)
def test_a_bound_that_means_nothing_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(UnslantError, match=said.replace("?", r"\?")):
        statuses("max", text)


def test_a_failure_decides_then_what_cannot_be_judged() -> None:
    def made(*found: str) -> list[Check]:
        return [Check(name="a", asked="", status=each, says="") for each in found]  # type: ignore[arg-type]

    assert exit_code(made("passed", "skipped")) == 0
    assert exit_code(made("passed", "not judged", "failed")) == 1
    assert exit_code(made("passed", "not judged")) == 2
    assert exit_code(made("skipped")) == 2
    assert exit_code([]) == 2


def test_a_record_in_which_nothing_was_measured_is_refused() -> None:
    for empty in (record(), record(measured("weat", None))):
        with pytest.raises(UnslantError, match="no result with a value"):
            refuse_empty(empty, "audit.json")
