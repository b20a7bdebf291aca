from typing import Any

from unslant.core.measurement import Measurement, WordUse
from unslant.core.record import what_was_measured, why_not_comparable

ASKED = {"expression": "weat", "subject": "gender/x", "case": "lower"}


def made(*words: str, metric: str = "weat", **asked: Any) -> Measurement:
    uses = (WordUse(set="names", used=words or ("amy", "joan")),)
    return Measurement(value=0.5, metric=metric, parameters=ASKED | asked, words=uses)


def test_the_same_measure_on_the_same_words_compares() -> None:
    assert why_not_comparable(made(), made()) == ""
    assert why_not_comparable(made(), made("joan", "amy")) == ""


def test_other_words_another_measure_or_other_parameters_do_not() -> None:
    assert "different words in “names” (2 and 1)" in why_not_comparable(made(), made("amy"))
    assert "different measures" in why_not_comparable(made(), made(metric="ect"))
    assert "different expression" in why_not_comparable(made(), made(expression="weat(ddof=0)"))


def test_a_measurement_is_told_from_others_by_its_expression_and_subject() -> None:
    assert what_was_measured(made()) == "weat on gender/x"
    assert what_was_measured(Measurement(value=1.0, metric="mac")) == "mac"
