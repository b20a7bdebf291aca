"""The answers of a study as text: whole, escaped, and safe to open."""

import csv
import io
import json
import re
from typing import Any

import pytest
from rich.console import Console

from unslant.core.errors import UnknownNameError
from unslant.core.plain import to_plain
from unslant.core.study_record import StudyAnswer
from unslant.reports.grids import FORMS, grid_tables, grid_text
from unslant.studies.answers import Row, correlate, diff, rank, table

NASTY = "=cmd|'/C calc'!A1"
AWKWARD = "50% & $x_1$ {a} #~^\\ <b>|*[c]`"


def row(resource: str, measure: str, value: float | None = None, **more: Any) -> Row:
    facts: dict[str, Any] = {"method": "hard", "concept": "gender", "seed": 0, "better": "smaller"}
    facts |= {"state": "done" if value is not None else "missing", "value": value}
    return Row(**(facts | {"resource": resource, "measure": measure} | more))


ROWS = [
    row("a", "DB", -0.25),
    row("a", "E", 0.125, seed=0),
    row("a", "E", 0.375, seed=1),
    row("b", "DB", 1 / 3, words_key="others"),
    row("b", "E", None),
    row(NASTY, "DB", 0.5),
    row(NASTY, "E", None, state="failed", why="no file"),
    row(AWKWARD, "DB", None, state="undefined", why="a zero vector"),
    row(AWKWARD, "E", 0.9),
]
ANSWERS: dict[str, StudyAnswer] = {
    "table": table(ROWS),
    "correlation": correlate(ROWS),
    "one": correlate(ROWS, against="E"),
    "ranking": rank(ROWS),
    "difference": diff(ROWS, [row("a", "DB", 0.75, id="x"), *ROWS[2:]]),
}


def shown(record: Any, width: int = 100, digits: int = 3) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(grid_tables(record, digits))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def lines_of(record: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(grid_text(record, "csv"))))


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("form", [*FORMS, "terminal"])
def test_every_answer_has_every_form_without_nan_or_none(name: str, form: str) -> None:
    text = shown(ANSWERS[name]) if form == "terminal" else grid_text(ANSWERS[name], form)
    assert len(text) > 60
    assert not re.search(r"\b(nan|None|inf)\b", text)
    assert text.endswith("\n")


KEYS = {
    "table": "answer by columns rows notes",
    "correlation": "answer against level by rows measures pairs matrices sentences notes",
    "ranking": "answer by measures order left_out notes",
    "difference": "answer is_same has_same_inputs relative absolute compared changed only_in_a "
    "only_in_b other_inputs lacking",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_json_has_every_digit_under_the_keys_that_scripts_know(name: str) -> None:
    plain = json.loads(grid_text(ANSWERS[name], "json"))
    assert plain == to_plain(ANSWERS[name])
    assert list(plain) == KEYS[plain["answer"]].split()


@pytest.mark.parametrize("name", ANSWERS)
def test_no_text_of_a_csv_file_is_a_formula_and_every_number_is_one(name: str) -> None:
    lines = lines_of(ANSWERS[name])
    assert len({len(line) for line in lines}) == 1
    for cell in (cell for line in lines for cell in line):
        if cell[:1] in "=+-@\t\r" and cell:
            float(cell)  # a negative number is no text


def test_the_csv_of_a_table_has_every_digit_and_the_spread_over_seeds() -> None:
    head, *lines = lines_of(ANSWERS["table"])
    assert head == ["resource", "method", "DB", "DB other_words", "E", "E sd", "E n", "E of"]
    assert lines[0][:5] == ["a", "hard", "-0.25", "0", "0.25"]
    assert float(lines[1][2]) == 1 / 3
    assert lines[1][3:5] == ["1", "not done"]
    assert (lines[2][0], lines[2][4]) == ("'" + NASTY, "failed")
    assert lines[3][2] == "NA"


def test_the_terminal_shows_means_marks_and_what_is_missing() -> None:
    text = shown(ANSWERS["table"])
    for part in ("−0.250", "0.250 ± 0.177 (2)", "0.333 ≠", "not done", "failed", "NA", "DB ↓"):
        assert part in text
    flat = " ".join(text.split())
    assert "of 9 numbers 1 is not done yet and 1 failed" in flat
    assert "−0.2 " in shown(ANSWERS["table"], digits=1)


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_what_a_half_done_study_lacks_is_in_print_too(form: str) -> None:
    text = grid_text(ANSWERS["table"], form)
    printed = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert "of 9 numbers 1 is not done yet and 1 failed" in printed


def test_a_narrow_terminal_gets_more_tables_and_whole_numbers() -> None:
    rows = [row(f"r{n}", f"measure {m}", n + m / 7) for n in range(3) for m in range(12)]
    text = shown(table(rows), width=60, digits=3)
    assert max(map(len, text.splitlines())) <= 60
    for n in range(3):
        assert all(f"{n + m / 7:.3f}" in text for m in range(12))


def test_pairs_of_measures_fit_a_usual_terminal_in_one_table() -> None:
    rows = [row(f"r{n}", m, (n * k % 11) / 7) for n in range(9) for k, m in ((3, "A"), (4, "B"))]
    text = shown(correlate(rows), width=80)
    assert text.count("95 % interval") == 2
    assert text.count("A – B") == 2
    assert " to −" in text or " to 0" in text


def test_markdown_marks_the_best_and_escapes_what_has_a_meaning() -> None:
    text = grid_text(ANSWERS["table"], "markdown")
    assert "| **−0.250** |" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {5}
    assert r"\<b>\|\*\[c]\`" in text


def test_latex_escapes_what_has_a_meaning_and_marks_the_best() -> None:
    text = grid_text(ANSWERS["table"], "latex")
    assert r"\textbf{$-$0.250}" in text
    assert r"50\% \& \$x\_1\$ \{a\} \#\textasciitilde{}\textasciicircum{}\textbackslash{}" in text
    body = text.partition(r"\midrule")[2].partition(r"\bottomrule")[0]
    lines = body.strip().splitlines()
    assert len(lines) == 4
    assert all(len(re.findall(r"(?<!\\)&", line)) == 3 for line in lines)
    assert all(line.endswith(r"\\") for line in lines)
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert not re.search("[−≠±≤↓↑→]", text)


def test_control_characters_are_written_out() -> None:
    record = table([row("a\x1b[31m\n|b", "DB", 1.0), row("c", "DB\u202e", 2.0)])
    for text in (shown(record), grid_text(record, "markdown"), grid_text(record, "latex")):
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_a_correlation_says_its_interval_p_and_correction() -> None:
    rows = [row(f"r{n}", m, (n * (3 + k) % 7) / 7) for n in range(9) for k, m in enumerate("ABC")]
    record = correlate(rows, against="C")
    text = shown(record)
    pair = record.pairs[0]
    low, high = (f"{end:.3f}".replace("-", "−") for end in (pair.low, pair.high))
    assert f"{low} to {high}" in text
    assert f"{pair.corrected:.4f}" in text
    assert "Pearson’s r with C" in text
    assert "could be anywhere from" in text
    everything = shown(correlate(rows))
    assert "Spearman’s ρ of every pair" in everything
    assert "A – B" in everything


def test_a_difference_lists_everything_and_says_so_in_a_sentence() -> None:
    text = shown(ANSWERS["difference"], width=120)
    assert "8 numbers are in both studies: 1 changed, 1 only in A, 4 failed or not done." in text
    assert "−0.250" in text
    assert "+1.000" in text
    assert "+400.0 %" in text
    kinds = [line[0] for line in lines_of(ANSWERS["difference"])[1:]]
    assert sorted(set(kinds)) == [
        "changed",
        "failed in A",
        "failed in B",
        "missing in A",
        "missing in B",
        "only in A",
    ]
    same = shown(diff(ROWS[:1], ROWS[:1]))
    assert "1 numbers are in both studies: all the same." in same


def test_a_long_reason_is_never_cut() -> None:
    why = " ".join(f"word{n}" for n in range(60))
    gone = row("a", "DB", None, state="failed", why=why)
    text = shown(diff([gone], [gone]), width=70)
    assert all(f"word{n}" in text for n in range(60))


def test_a_long_list_is_cut_for_reading_only() -> None:
    many = [row(f"r{n}", "DB", float(n + 1)) for n in range(80)]
    record = diff(many, [row(f"r{n}", "DB", float(n + 2)) for n in range(80)])
    assert "the first 50 of 80; csv and json have all" in shown(record)
    assert len(lines_of(record)) == 81


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "latex"'):
        grid_text(ANSWERS["table"], "latexx")


def test_a_ranking_says_in_every_form_which_numbers_used_other_words() -> None:
    rows = [
        row("a", "DB", 0.1),
        row("a", "E", 0.1),
        row("b", "DB", 0.2, words_key="others"),
        row("b", "E", 0.2),
        row("c", "DB", None),
        row("c", "E", 0.2),
    ]
    record = rank(rows)
    head, *lines = lines_of(record)
    assert [line[head.index("other_words")] for line in lines] == ["", "DB", ""]
    assert [line[head.index("lacks")] for line in lines] == ["", "", "DB (missing)"]
    assert {len(line) for line in lines} == {len(head)}
    assert "0.200 ≠" in shown(record)


def test_names_with_commas_can_be_told_apart_in_a_list() -> None:
    methods = ("hard", "hard, then misp", "last")
    rows = [
        row("a", measure, value, method=method)
        for value, method in enumerate(methods)
        for measure in ("DB", "E")
    ]
    assert "a.hard; a.hard, then misp" in shown(rank(rows), width=200)
