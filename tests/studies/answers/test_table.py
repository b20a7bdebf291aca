"""Rows and tables: nothing mixed, nothing hidden, nothing that looks more complete than it is."""

import json
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.measurement import Interval, Measurement, PValue, WordUse
from unslant.core.plain import from_plain, to_plain
from unslant.core.record import why_not_comparable
from unslant.core.study_record import StudyTable
from unslant.studies.answers import Row, table
from unslant.studies.answers.pivot import row_of, words_key
from unslant.studies.run.contents import FoundCell

LABEL = ("glove", "hard", "WEAT 6", "gender", 3)


def found(value: float | None = 0.5, **more: Any) -> FoundCell:
    facts = {"metric": "weat", "better": "closer to 0", "parameters": {"expression": "weat"}}
    why = "" if value is not None else "a zero vector"
    record = Measurement(value=value, why_undefined=why, **(facts | more)).to_dict()
    return FoundCell(label=LABEL, id="ab12", state="done", result={"measurement": record})


def row(resource: str, method: str, measure: str, value: float | None, **more: Any) -> Row:
    state = "undefined" if value is None else "done"
    facts: dict[str, Any] = {"concept": "gender", "seed": 0, "better": "smaller", "state": state}
    label = {"resource": resource, "method": method, "measure": measure}
    return Row(**(label | facts | {"value": value} | more))


def cells(record: StudyTable, part: str = "value") -> list[list[Any]]:
    return [[getattr(cell, part) for cell in line.cells] for line in record.rows]


def test_a_row_carries_what_the_measurement_says() -> None:
    interval = Interval(low=0.1, high=0.9, level=0.95, how="BCa")
    p = PValue(value=0.02, how="exact", alternative="greater", outcomes=70)
    use = WordUse(set="names", used=("amy", "joan"))
    one = row_of(found(0.4, interval=interval, p=p, words=(use,)))
    assert (one.label, one.id) == (LABEL, "ab12")
    assert (one.value, one.interval, one.p) == (0.4, (0.1, 0.9), 0.02)
    assert (one.better, one.state) == ("closer to 0", "done")
    undefined = row_of(found(None))
    assert (undefined.value, undefined.state, undefined.why) == (None, "undefined", "a zero vector")


def test_a_record_that_is_no_result_is_refused() -> None:
    with pytest.raises(UnslantError, match="not a result of a study"):
        row_of(replace(found(), result={}))


@given(
    first=st.lists(st.sampled_from("abc"), max_size=4),
    second=st.lists(st.sampled_from("abc"), max_size=4),
    names=st.tuples(st.sampled_from("xy"), st.sampled_from("xy")),
    cases=st.tuples(st.sampled_from(["lower", ""]), st.sampled_from(["lower", ""])),
)
@settings(max_examples=80, deadline=None)
def test_equal_keys_are_exactly_the_records_that_compare(
    first: list[str], second: list[str], names: tuple[str, str], cases: tuple[str, str]
) -> None:
    one, other = (
        Measurement(
            value=0.5,
            metric="weat",
            parameters={"expression": "weat", "case": case},
            words=(WordUse(set=name, used=tuple(used)), WordUse(set="z", used=("q",))),
        )
        for used, name, case in zip((first, second), names, cases, strict=True)
    )
    if not (first and second):  # a set without words is no set to one and an empty one to the other
        return
    assert (words_key(one.to_dict()) == words_key(other.to_dict())) == (
        not why_not_comparable(one, other)
    )


def test_seeds_are_averaged_and_said() -> None:
    values = [0.1, 0.2, 0.6]
    rows = [row("glove", "hard", "DB", value, seed=n) for n, value in enumerate(values)]
    record = table([*rows, row("glove", "", "DB", 0.9)])
    first, second = (line.cells[0] for line in record.rows)
    assert first.value == pytest.approx(fmean(values))
    assert first.sd == pytest.approx(stdev(values))
    assert (first.n, first.of) == (3, 3)
    assert (second.value, second.sd, second.n) == (0.9, None, 1)
    assert any("Several seeds are averaged" in note for note in record.notes)


def test_equal_seeds_have_exactly_their_value_and_no_spread() -> None:
    record = table([row("a", "", "DB", 0.1, seed=n) for n in range(3)])
    assert (cells(record), cells(record, "sd")) == ([[0.1]], [[0.0]])


def test_a_half_done_study_never_looks_complete() -> None:
    rows = [
        row("a", "x", "DB", 0.1),
        row("a", "x", "E", None, state="missing"),
        row("b", "x", "DB", None, state="failed", why="the file is gone"),
        row("b", "x", "E", 0.2, seed=0),
        row("b", "x", "E", None, seed=1, state="missing"),
        row("c", "x", "E", None, why="a zero vector"),
    ]
    record = table(rows)
    assert cells(record, "state") == [
        ["done", "missing"],
        ["failed", "done"],
        ["unasked", "undefined"],
    ]
    half = record.rows[1].cells[1]
    assert (half.n, half.of) == (1, 2)
    assert record.rows[1].cells[0].why == "the file is gone"
    assert "of 6 numbers 2 are not done yet and 1 failed" in record.notes[0]
    assert "1 number has no value, the first because: a zero vector" in record.notes[1]


def test_of_several_seeds_without_a_value_the_failure_is_shown() -> None:
    states = ["undefined", "missing", "failed"]
    rows = [row("a", "x", "DB", None, seed=n, state=s, why=s) for n, s in enumerate(states)]
    assert [cells(table(rows[:n]), "state")[0][0] for n in (1, 2, 3)] == states
    assert cells(table(rows), "why") == [["failed"]]


def test_a_whole_study_has_nothing_to_excuse() -> None:
    assert table([row("a", "x", "DB", 0.1), row("b", "x", "DB", 0.2)]).notes == ()


def test_cells_on_other_words_are_marked_and_never_the_best() -> None:
    rows = [
        row("a", "", "DB", 0.3, words_key="most"),
        row("b", "", "DB", 0.1, words_key="few"),
        row("c", "", "DB", 0.2, words_key="most"),
    ]
    record = table(rows)
    assert cells(record, "other_words") == [[False], [True], [False]]
    assert cells(record, "best") == [[False], [False], [True]]
    assert any(note.startswith("≠: 1 of 3 cells") for note in record.notes)


def test_words_are_compared_within_a_concept_only() -> None:
    rows = [row("a", "", "DB", 0.3, concept=c, words_key=c) for c in ("gender", "race")]
    assert cells(table(rows), "other_words") == [[False, False]]


@pytest.mark.parametrize(
    ("better", "best"),
    [("smaller", 0), ("larger", 2), ("closer to 0", 1), ("closer to 0.5", 2), ("", None)],
)
def test_the_best_is_the_best_by_the_direction_of_the_measure(
    better: str, best: int | None
) -> None:
    values = [-0.4, 0.1, 0.3]
    record = table([row(str(v), "", "DB", v, better=better) for v in values])
    assert [line[0] for line in cells(record, "best")] == [n == best for n in range(3)]


def test_ties_share_the_mark_and_a_column_of_equals_has_no_best() -> None:
    tied = table([row(str(n), "", "DB", value) for n, value in enumerate((0.1, 0.1, 0.2))])
    assert cells(tied, "best") == [[True], [True], [False]]
    assert not any(line[0] for line in cells(table([row("a", "", "DB", 1.0)]), "best"))
    equal = table([row(str(n), "", "DB", 0.1) for n in range(3)])
    assert not any(line[0] for line in cells(equal, "best"))


def test_a_direction_can_be_replaced_and_must_be_one() -> None:
    rows = [row("a", "", "DB", 0.1), row("b", "", "DB", 0.2)]
    assert cells(table(rows, better={"DB": "larger"}), "best") == [[False], [True]]
    with pytest.raises(UnslantError, match='Got "upwards"'):
        table(rows, better={"DB": "upwards"})
    with pytest.raises(UnknownNameError, match='Did you mean "DB"'):
        table(rows, better={"DBB": "larger"})


def test_other_sides_spread_what_they_leave_open_over_columns() -> None:
    rows = [
        row(resource, method, "DB", float(n), concept=concept)
        for n, (resource, method, concept) in enumerate(
            (r, m, c) for r in ("a", "b") for m in ("x", "y") for c in ("gender", "race")
        )
    ]
    record = table(rows, by=["method"])
    labels = [column.label for column in record.columns]
    assert labels == ["DB (a, gender)", "DB (a, race)", "DB (b, gender)", "DB (b, race)"]
    assert cells(record) == [[0, 1, 4, 5], [2, 3, 6, 7]]
    assert cells(table(rows, by=["concept", "resource"])) == [[0, 2], [1, 3], [4, 6], [5, 7]]
    seeds = [replace(rows[0], seed=seed) for seed in (5, 6)]
    assert [line.key for line in table(seeds, by=["seed"]).rows] == [(5,), (6,)]


def test_sides_that_are_none_and_an_empty_study_are_refused() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "method"'):
        table([row("a", "", "DB", 1.0)], by=["methods"])
    with pytest.raises(UnslantError, match="once each"):
        table([row("a", "", "DB", 1.0)], by=["method", "method"])
    with pytest.raises(UnslantError, match="no numbers yet"):
        table([])


def test_the_record_is_plain_json() -> None:
    record = table([row("a", "", "DB", 0.1, interval=(0.0, 0.2), p=0.5), row("b", "", "E", 0.2)])
    assert from_plain(StudyTable, json.loads(json.dumps(to_plain(record)))) == record
