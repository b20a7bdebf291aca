"""A record shows itself in one short line, however much it holds, and as a table."""

import sys
from types import ModuleType
from typing import Any

import pytest

from unslant.concepts import concept
from unslant.core.measurement import Interval, Measurement
from unslant.core.record import Change, Record, Resource, Result, Subject
from unslant.studies.audit import audit
from unslant.studies.record import LONGEST_REPR, Recorded
from unslant.vectors import WordVectors

NOW = Measurement(
    value=1.71782,
    metric="weat",
    title="Career and family",
    interval=Interval(low=1.0, high=2.0, level=0.95, how="bca"),
    points=({"word": "a", "association": 0.5},),
)


def recorded(*results: Result, name: str = "v") -> Recorded:
    return Recorded(
        Record(
            about="audit",
            subject=Subject(kind="set", name="s", title="S"),
            resource=Resource(name=name, kind="vectors"),
            results=results,
        )
    )


def test_an_audit_is_one_line_with_its_names_and_its_first_number(glove: WordVectors) -> None:
    gender = concept("gender")
    jobs = [(metric, gender.test("career-family")) for metric in ("weat", "mac")]
    found = audit(glove.head(20_000), gender, jobs=list(jobs))
    assert str(found.record) == "<Record of audit: glove.6B.100d.slice, gender; 2 results>"
    first = found.measurements[0]
    assert repr(found) == (
        f"<Audit glove.6B.100d.slice, gender: 2 measurements; {first.title}: {first.value:.4g}>"
    )


def test_the_first_number_is_one_that_has_a_value() -> None:
    nothing = Result(now=Measurement.undefined("no words"))
    assert repr(recorded(nothing)) == "<Recorded v, s: 1 measurement>"
    assert repr(recorded(nothing, Result(now=NOW))) == (
        "<Recorded v, s: 2 measurements; Career and family: 1.718>"
    )


def test_names_that_are_long_or_break_lines_do_not_break_it() -> None:
    line = repr(recorded(name="a\n\x1b[31m" + "b" * 5_000))
    assert len(line) <= LONGEST_REPR + 3
    assert line.isprintable()


def test_results_and_points_become_tables_with_a_row_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Pandas(ModuleType):
        DataFrame = list

    monkeypatch.setitem(sys.modules, "pandas", Pandas("pandas"))
    change = Change(difference=0.5, verdict="worse")
    rows: Any = recorded(Result(now=NOW, before=NOW, change=change), Result(now=NOW)).to_frame()
    assert [row["value"] for row in rows] == [1.71782, 1.71782]
    assert [row["low"] for row in rows] == [1.0, 1.0]
    assert [row["before"] for row in rows] == [1.71782, None]
    assert [row["verdict"] for row in rows] == ["worse", None]
    assert NOW.to_frame() == [{"word": "a", "association": 0.5}]
