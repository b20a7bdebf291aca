"""The tables of a record at every width: nothing is cut, nothing vanishes."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from unslant.core.exhibits import Examples
from unslant.core.record import LeftOut, Record
from unslant.core.wording import number
from unslant.reports.answers import answer
from unslant.reports.tables import PAGE, result_tables
from unslant.reports.terminal import record_tables

KINDS = ("audited", "compared", "probed")


def shown(record: Record, width: int) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None).print(record_tables(record))
    lines = stream.getvalue().split("\n")
    assert all(len(line) <= width for line in lines)
    return "\n".join(lines)


@pytest.mark.parametrize("width", [80, 100, 140])
@pytest.mark.parametrize("kind", KINDS)
def test_no_value_is_cut_and_no_name_vanishes(
    kind: str, width: int, request: pytest.FixtureRequest
) -> None:
    record: Record = request.getfixturevalue(kind)
    text = shown(record, width)
    assert "…" not in text
    tests = [item for item in record.results if record.glossary[item.now.metric].role == "test"]
    for result in record.results:
        digits = 2 if result in tests else 3
        is_folded = result in tests and result.now.metric != tests[0].now.metric
        if not is_folded:
            assert number(result.now.value, digits) in text
            if result.before:
                assert number(result.before.value, digits) in text
            for word in result.now.title.split():
                assert word in text
    for exhibit in record.exhibits:
        if isinstance(exhibit, Examples):
            for case in exhibit.cases:
                assert all(word in text for word in case.texts[0].split())


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_comes_before_every_table(kind: str, request: pytest.FixtureRequest) -> None:
    record: Record = request.getfixturevalue(kind)
    text = " ".join(shown(record, 140).split())
    for line in answer(record):
        assert " ".join(line.split()) in text
    assert text.index(" ".join(answer(record)[0].split())) < 5


def test_warnings_come_first_and_what_is_left_out_is_told(probed: Record) -> None:
    gone = LeftOut(what="zorp", why="missing from the vectors")
    text = shown(replace(probed, warnings=("Beware.",), left_out=(gone,)), 80)
    assert text.strip().startswith("Warning: Beware.")
    assert "Left out: zorp: missing from the vectors" in text


def test_random_controls_and_other_words_are_explained(probed: Record) -> None:
    text = " ".join(shown(probed, 120).split())
    assert "random: with 1 random direction removed instead; mean ± standard deviation of" in text
    assert "≠" not in text
    first = replace(probed.results[0], not_comparable="other words")
    assert "≠ measured on different words" in shown(replace(probed, results=(first,)), 120)


def test_what_has_no_value_is_named_once_with_its_reason_and_has_no_row(compared: Record) -> None:
    concept = [r for r in compared.results if compared.glossary[r.now.metric].role == "concept"]
    lost = concept[0]
    gone = replace(
        lost.now, title="A lost lean", value=None, points=(), why_undefined="only noise is left."
    )
    results = tuple(
        replace(item, now=gone, change=None, finding=None) if item is lost else item
        for item in compared.results
    )
    record = replace(compared, results=results)
    text = " ".join(shown(record, 140).split())
    assert f"Could not be measured: {gone.title}. The reason: only noise is left." in text
    assert text.count(gone.title) == 1
    tables = list(result_tables(record, PAGE))
    assert not any(gone.title in str(row[0]) for table in tables for row in table.rows)
    assert sum("only noise is left." in table.caption for table in tables) == 1


def test_a_table_in_which_nothing_has_a_value_keeps_its_rows(compared: Record) -> None:
    results = tuple(
        replace(item, now=replace(item.now, value=None, why_undefined="no words"), change=None)
        for item in compared.results
    )
    tables = list(result_tables(replace(compared, results=results), PAGE))
    assert sum(len(table.rows) for table in tables) == len(results)
