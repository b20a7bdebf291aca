"""The forest plot: values, intervals, the exact text of p, and before and after."""

from dataclasses import replace

from tests.reports.figures.made_records import audit_of, keeps_the_rules, rows_of, texts_of, weat
from unslant.core.measurement import PValue
from unslant.core.record import Meaning, Record
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.forest import forests


def forest(record: Record) -> Figure:
    [figure] = forests(record)
    keeps_the_rules(figure)
    return figure


def test_each_test_is_a_row_with_value_interval_p_and_corrected_p() -> None:
    tests = [weat("one", 1.5, 0.9, 1.8, 0.001), weat("two", -0.2, -1.0, 0.7, 0.6)]
    figure = forest(audit_of(tests))
    spans = {row["title"]: (row["x"], row["high"]) for row in rows_of(figure) if "high" in row}
    assert {"0.0010", "0.0020", "0.6000", "1.0000"} <= set(texts_of(figure))
    marks = {row["title"]: row["x"] for row in rows_of(figure) if row.get("effect")}
    assert marks == {"one": 1.5, "two": -0.2}
    assert spans["two"][1] == 0.7
    assert "Largest: one, 1.50. Smallest: two, −0.20. 1 has a" in figure.description
    assert "Lines are 95 % confidence intervals." in figure.caption


def test_before_is_a_hollow_mark_and_says_if_it_used_other_words() -> None:
    now, before = [weat("one", 0.5, 0.1, 0.9)], [weat("one", 1.9, 1.0, 2.0)]
    figure = forest(audit_of(now, before))
    assert {row["before"] for row in rows_of(figure) if "before" in row} == {"1.90"}
    assert "before" in texts_of(figure)
    figure = forest(audit_of(now, before, unlike="other words"))
    assert {row["before"] for row in rows_of(figure) if "before" in row} == {"≠ 1.90"}
    assert "≠ one" in texts_of(figure)
    assert "1 test (≠) used other words before" in figure.caption


def test_a_p_value_that_is_a_bound_is_printed_as_one() -> None:
    floor = PValue(value=1 / 1001, how="monte carlo", alternative="two-sided", outcomes=1001)
    figure = forest(audit_of([replace(weat("one", 1.5, 0.9, 1.8), p=floor)]))
    assert "≤ 0.0010" in texts_of(figure)


def test_tests_without_a_value_are_counted_and_without_any_there_is_no_figure() -> None:
    gone = replace(weat("two", None, 0, 0), interval=None, p=None)
    figure = forest(audit_of([weat("one", 1.0, 0.5, 1.5), gone]))
    assert "Tests without a value: 1." in figure.caption
    for items in ([gone], [weat("two", None, 0, 0)], []):
        assert list(forests(audit_of(items))) == []


def test_a_test_without_an_interval_has_its_mark_alone() -> None:
    items = [replace(weat("one", 1.0, 0.5, 1.5), interval=None, p=None), weat("two", 1, 0, 2)]
    rows = rows_of(forest(audit_of(items)))
    assert {row["title"] for row in rows if "high" in row} == {"two"}
    assert {row["title"] for row in rows if "effect" in row} == {"one", "two"}


def test_a_long_title_is_cut_into_lines_and_whole_when_pointed_at() -> None:
    title = "Very " * 40 + "long"
    figure = forest(audit_of([weat(title, 1.0, 0.5, 1.5)]))
    assert max(map(len, texts_of(figure))) <= 40
    assert title in {row.get("title") for row in rows_of(figure)}


def test_each_measure_of_tests_has_a_forest_of_its_own() -> None:
    own = Meaning(summary="Mine?", role="test", better="smaller", range="0 to 9", short="Mine")
    other = replace(weat("one", 3.0, 2.0, 4.0), metric="my-own", p=None)
    first, second = forests(audit_of([weat("one", 1, 0, 2), other], glossary={"my-own": own}))
    assert (first.name, second.name) == ("forest-weat", "forest-my-own")
    assert second.title == "Association tests: Mine"
    assert "Mine?" in second.caption
    assert "Mine, 0 to 9 (smaller is better)" in str(second.spec())
