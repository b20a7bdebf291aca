"""The best setting of each level and the effect of each choice, against numbers made by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.command_line import json_of, unslant
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.toml_source import TomlSource
from unslant.reports.grids import grid_text
from unslant.studies.answers import Row, best
from unslant.studies.answers.best import EVERY
from unslant.studies.plan.cells import PlanError, TreeSetting
from unslant.studies.plan.reading import read_trees

TREE = """
[[tree.two]]
level = "out"
at = "layer:-1"
method = "misp(exponent={n})"
n = [0, 1]
[[tree.two]]
level = "in"
at = "layer:-2"
method = "misp(subspace=names(k={k}))"
k = [1, 2]
"""
DEV = {
    "original": 0.9,
    "out (n=0)": 0.5,
    "out (n=1)": 0.6,
    "in (k=1; n=0)": 0.3,
    "in (k=1; n=1)": 0.35,
    "in (k=2; n=0)": 0.2,
    "in (k=2; n=1)": 0.45,
}
HELD = {method: value + 0.1 for method, value in DEV.items()}


def _trees() -> dict[str, tuple[TreeSetting, ...]]:
    return read_trees(TomlSource("plan.toml", Path(), TREE, PlanError))


def _rows(better: str = "smaller") -> list[Row]:
    return [
        Row(
            resource="m", method=method, measure=measure, concept="gender", seed=0,
            value=value, better=better,
        )
        for measure, values in (("S", DEV), ("S held", HELD))
        for method, value in values.items()
    ]  # fmt: skip


def test_the_best_of_each_level_is_reported_on_the_other_measure() -> None:
    found = best(_rows(), _trees(), by="S", report="S held")
    assert [(row.level, row.method, row.settings) for row in found.rows] == [
        ("original", "original", 1),
        ("out", "out (n=0)", 2),
        ("in", "in (k=2; n=0)", 4),
    ]
    assert [row.value for row in found.rows] == [0.9, 0.5, 0.2]
    assert [row.reported for row in found.rows] == pytest.approx([1.0, 0.6, 0.3])
    assert {row.reported_original for row in found.rows} == {1.0}
    assert found.notes == ()


def test_the_effect_of_a_choice_is_paired_with_all_others_equal() -> None:
    found = best(_rows(), _trees(), by="S")
    effects = {(row.at, row.variable, row.level): row for row in found.effects}
    weight = effects["out", "n", EVERY]
    assert (weight.pairs, weight.better) == (3, 0)
    assert weight.mean == pytest.approx((0.1 + 0.05 + 0.25) / 3)
    inner = effects["out", "n", "in"]
    assert inner.pairs == 2
    assert inner.mean == pytest.approx(0.15)
    assert inner.sd == pytest.approx(0.2 / 2**0.5)
    dims = effects["in", "k", "in"]
    assert (dims.pairs, dims.better) == (2, 1)
    assert dims.mean == pytest.approx((-0.1 + 0.1) / 2)
    assert ("in", "k", "out") not in effects
    assert "looks better than it is" in found.notes[0]


def test_larger_may_be_better() -> None:
    found = best(_rows("larger"), _trees(), by="S", report="S held")
    assert [row.method for row in found.rows] == ["original", "out (n=1)", "in (k=2; n=1)"]


def test_settings_without_a_number_are_left_out_and_counted() -> None:
    rows = [
        Row(
            resource=row.resource, method=row.method, measure=row.measure, concept=row.concept,
            seed=0, state="failed", why="no",
        )
        if row.method == "in (k=2; n=0)"
        else row
        for row in _rows()
    ]  # fmt: skip
    found = best(rows, _trees(), by="S", report="S held")
    assert found.rows[-1].method == "in (k=1; n=0)"
    assert found.rows[-1].settings == 3
    assert found.notes[0].startswith("2 of 14 numbers")


def test_what_cannot_be_answered_is_told() -> None:
    with pytest.raises(UnknownNameError, match="S held"):
        best(_rows(), _trees(), by="S hel")
    with pytest.raises(UnslantError, match="Which way is better"):
        best(_rows(""), _trees(), by="S")
    assert best(_rows(""), _trees(), by="S", better={"S": "larger"}).direction == "larger"


def test_it_prints_in_every_form() -> None:
    found = best(_rows(), _trees(), by="S", report="S held")
    csv = grid_text(found, "csv").splitlines()
    assert csv[0] == "resource,concept,level,settings,best,S,S original,S held,S held original"
    assert csv[3].startswith("m,gender,in,4,in (k=2; n=0),0.2,0.9,0.3")
    assert "| in | 4 | in (k=2; n=0) | 0.200 | 0.300 |" in grid_text(found, "markdown")
    assert "n at out: 0 → 1" in grid_text(found, "markdown")
    assert '"answer": "best"' in grid_text(found, "json")


def test_the_command_answers_for_a_folder(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(
        '[resources]\nslice = "builtin"\n'
        '[methods]\noriginal = ""\nlinear = "linear"\nmisp = "misp"\n'
        '[measures]\nWEAT = { measure = "weat", test = "career-family" }\n'
        "[[matrix]]\n"
    )
    unslant("study", "run", "plan.toml", "-o", "done", cwd=tmp_path)
    found = json_of("study", "best", "done", "--on", "WEAT", "--json", cwd=tmp_path)
    assert [row["level"] for row in found["rows"]] == ["original", "no tree"]
    assert found["effects"] == []
    shown = unslant("study", "best", "done", "--on", "WEAT", cwd=tmp_path).stdout
    assert "Best of each level" in shown


def _with_quality(better: str = "larger") -> list[Row]:
    """Every setting with n = 0 has lost a third of the model's ability."""
    return [
        *_rows(),
        *(
            Row(
                resource="m", method=method, measure="LMS", concept="gender", seed=0,
                value=50.0 if "n=0" in method else 74.0, better=better,
            )
            for method in DEV
        ),
    ]  # fmt: skip


def test_a_setting_that_lost_the_models_ability_is_not_chosen() -> None:
    found = best(_with_quality(), _trees(), by="S", report="S held", keep={"LMS": 0.95})
    assert [(row.level, row.method, row.settings) for row in found.rows] == [
        ("original", "original", 1),
        ("out", "out (n=1)", 1),
        ("in", "in (k=1; n=1)", 2),
    ]
    assert any('95% of the original\'s "LMS"' in note for note in found.notes)


def test_settings_are_chosen_for_each_concept_that_has_the_measure_and_its_quality() -> None:
    gender = _with_quality()
    race = [replace(row, concept="race") for row in gender]
    both = best([*gender, *race], _trees(), by="S", report="S held", keep={"LMS": 0.95})
    alone = best(gender, _trees(), by="S", report="S held", keep={"LMS": 0.95})
    assert [row.concept for row in both.rows] == ["gender"] * 3 + ["race"] * 3
    assert both.rows[:3] == alone.rows
    other = [row for row in race if row.measure == "LMS"]  # nothing to choose by
    assert best([*gender, *other], _trees(), by="S", report="S held", keep={"LMS": 0.95}) == alone
    unknown = [row for row in race if row.measure != "LMS"]  # nothing says what was kept
    found = best([*gender, *unknown], _trees(), by="S", report="S held", keep={"LMS": 0.95})
    assert found.rows == alone.rows
    assert '"LMS" has no value for "original" of m about race' in found.notes[-1]


def test_what_cannot_be_kept_is_refused() -> None:
    with pytest.raises(UnslantError, match="larger must be better, and here that is smaller"):
        best(_with_quality("smaller"), _trees(), by="S", keep={"LMS": 0.95})
    without = [row for row in _with_quality() if row.method != "original"]
    with pytest.raises(UnslantError, match='"LMS" has no value for "original"'):
        best(without, _trees(), by="S", keep={"LMS": 0.95})
    with pytest.raises(UnknownNameError):
        best(_rows(), _trees(), by="S", keep={"nothing": 0.95})
