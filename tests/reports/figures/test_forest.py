"""The forest plot: effects, intervals, the exact text of p, and before and after."""

from tests.reports.figures.audits import audit_of, keeps_the_rules, rows_of, texts_of, used, weat
from unslant.reports.figures.forest import forest
from unslant.reports.words import p_value


def test_each_test_is_a_row_with_effect_interval_p_and_corrected_p() -> None:
    tests = [weat("one", 1.5, 0.9, 1.8, 0.001), weat("two", -0.2, -1.0, 0.7, 0.6)]
    figure = forest(audit_of(tests))
    assert figure is not None
    keeps_the_rules(figure)
    spans = {row["title"]: (row["x"], row["high"]) for row in rows_of(figure) if "high" in row}
    texts = texts_of(figure)
    assert {p_value(item["p"]) for item in tests} == {"0.0010", "0.6000"}
    assert {"0.0010", "0.0020", "0.6000", "1.0000"} <= set(texts)
    marks = {row["title"]: row["x"] for row in rows_of(figure) if row.get("effect")}
    assert marks == {"one": 1.5, "two": -0.2}
    assert spans["two"][1] == 0.7
    assert "Largest: one, 1.50. Smallest: two, −0.20. 1 has p" in figure.description


def test_before_is_a_hollow_mark_and_says_where_it_used_other_words() -> None:
    before = weat("one", 1.9, 1.0, 2.0)
    figure = forest(audit_of([weat("one", 0.5, 0.1, 0.9)], [before]))
    assert figure is not None
    keeps_the_rules(figure)
    assert {row["before"] for row in rows_of(figure) if "before" in row} == {"1.90"}
    assert "before" in texts_of(figure)
    before["words"] = [used("x", ["a"])]
    figure = forest(audit_of([weat("one", 0.5, 0.1, 0.9)], [before]))
    assert figure is not None
    assert {row["before"] for row in rows_of(figure) if "before" in row} == {"≠ 1.90"}
    assert "≠ one" in texts_of(figure)
    assert "1 of the tests (≠) used other words before" in figure.caption


def test_a_p_value_that_is_a_bound_is_printed_as_one() -> None:
    item = weat("one", 1.5, 0.9, 1.8, 1 / 1001)
    item["p"] |= {"how": "monte carlo", "outcomes": 1001}
    figure = forest(audit_of([item]))
    assert figure is not None
    assert "≤ 0.0010" in texts_of(figure)


def test_tests_without_a_value_are_counted_and_without_any_there_is_no_figure() -> None:
    gone = weat("two", None, 0, 0)
    gone["interval"] = gone["p"] = None
    figure = forest(audit_of([weat("one", 1.0, 0.5, 1.5), gone]))
    assert figure is not None
    assert "Tests without a value: 1." in figure.caption
    assert forest(audit_of([gone])) is None
    assert forest(audit_of([])) is None


def test_a_test_without_an_interval_has_its_mark_alone() -> None:
    item = weat("one", 1.0, 0.5, 1.5) | {"interval": None}
    figure = forest(audit_of([item]))
    assert figure is not None
    keeps_the_rules(figure)
    assert not any("high" in row for row in rows_of(figure))


def test_a_long_title_is_cut_into_lines_and_whole_when_pointed_at() -> None:
    title = "Very " * 40 + "long"
    figure = forest(audit_of([weat(title, 1.0, 0.5, 1.5)]))
    assert figure is not None
    assert max(map(len, texts_of(figure))) <= 40
    assert title in {row.get("title") for row in rows_of(figure)}
