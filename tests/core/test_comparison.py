from typing import Any

from unslant.core.comparison import why_not_comparable


def record(**changes: Any) -> dict[str, Any]:
    plain = {
        "metric": "weat",
        "parameters": {"expression": "weat", "subject": "gender/x", "case": "lower"},
        "words": [{"set": "names", "used": ["amy", "joan"]}],
    }
    return plain | changes


def test_the_same_measure_on_the_same_words_compares() -> None:
    assert why_not_comparable(record(), record()) is None
    reordered = record(words=[{"set": "names", "used": ["joan", "amy"]}])
    assert why_not_comparable(record(), reordered) is None


def test_other_words_another_measure_or_other_parameters_do_not() -> None:
    fewer = record(words=[{"set": "names", "used": ["amy"]}])
    assert "different words in “names” (2 and 1)" in str(why_not_comparable(record(), fewer))
    assert "different measures" in str(why_not_comparable(record(), record(metric="ect")))
    other = record(
        parameters={"expression": "weat(ddof=0)", "subject": "gender/x", "case": "lower"}
    )
    assert "different expression" in str(why_not_comparable(record(), other))
