"""The heat map of a study: every number in its place, coloured by what a method changed."""

from dataclasses import replace
from typing import Any

import pytest

from tests.reports.figures.made_studies import check, data, heat_of, row, study
from unslant.core.study_record import StudyStatus
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.heatmap import heatmap
from unslant.studies.answers import Row


def cells_of(figure: Figure) -> list[dict[str, Any]]:
    """The data of the cells, without those of the signs above the columns."""
    return [one for one in data(figure) if "method" in one]


def small() -> list[Row]:
    return [
        row("original", "WEAT", -1.0, "closer to 0"),
        row("hard", "WEAT", 0.5, "closer to 0"),
        row("soft", "WEAT", -1.25, "closer to 0"),
        row("original", "analogy", 0.6, "larger"),
        row("hard", "analogy", 0.5, "larger"),
        row("soft", "analogy", 0.6, "larger"),
    ]


def test_colour_is_the_change_against_no_method_in_parts_of_the_largest_of_its_measure() -> None:
    found = heat_of(small())
    # By hand: |WEAT| 1 → 0.5 and 1.25, so 0.5 better and 0.25 worse; analogy 0.1 worse and 0.
    assert len(found.sides) == 2, "better and worse"
    assert [list(line) for line in found.of] == [
        [0.0, 0.0],
        pytest.approx([1.0, -1.0]),
        pytest.approx([-0.5, 0.0]),
    ]


def test_each_resource_is_compared_with_its_own_original() -> None:
    rows = [
        row("original", "E", 1.0, "smaller", resource="a"),
        row("hard", "E", 0.5, "smaller", resource="a"),
        row("original", "E", 0.25, "smaller", resource="b"),
        row("hard", "E", 0.5, "smaller", resource="b"),
        row("hard", "E", 0.5, "smaller", resource="c"),
    ]
    assert [line[0] for line in heat_of(rows).of] == [0.0, 1.0, 0.0, -0.5, None]


def test_without_an_original_colour_runs_from_the_best_to_the_worst() -> None:
    rows = [row(method, "E", value, "smaller") for method, value in (("a", 1.0), ("b", 3.0))]
    rows.append(row("c", "E", 2.0, "smaller"))
    found = heat_of(rows)
    assert len(found.sides) == 1, "worse than the best"
    assert [line[0] for line in found.of] == [0.0, -1.0, -0.5]


def test_what_does_not_compare_is_marked_and_has_no_colour() -> None:
    rows = [
        row("original", "E", 1.0, "smaller"),
        row("hard", "E", 0.5, "smaller"),
        row("soft", "E", 0.2, "smaller", words_key="others"),
        row("odd", "E", None, "smaller", why="no pair is left"),
        row("bad", "E", None, "smaller", state="failed", why="no such file"),
        row("late", "E", None, "smaller", state="missing"),
        row("original", "which way", 3.0, ""),
        row("hard", "which way", 4.0, ""),
    ]
    [figure] = heatmap(study(rows))
    check(figure)
    cells = {(one["method"], one["measure"]): one for one in cells_of(figure)}
    assert cells["soft", "↓ E"]["text"] == "0.20 ≠"
    assert [cells[name, "↓ E"]["text"] for name in ("odd", "bad", "late")] == ["NA", "failed", "…"]
    assert cells["bad", "↓ E"]["note"] == "no such file"
    assert cells["late", "which way"]["text"] == ""
    coloured = {place for place, one in cells.items() if one["strength"]}
    assert coloured == {("hard", "↓ E")}
    assert cells["hard", "↓ E"]["best"] is True
    for said in ("NA", "failed", "≠ used other words"):
        assert said in figure.caption


def test_an_incomplete_study_says_so() -> None:
    [figure] = heatmap(replace(study(small()), status=StudyStatus(planned=9, done=6)))
    assert "not complete: 6 of 9" in figure.caption


def test_one_cell_and_many_measures_and_odd_names_are_drawn() -> None:
    [one] = heatmap(study([row("original", "E", 1.0, "smaller")]))
    check(one)
    names = [f"m[{number}].x ‮" for number in range(15)]
    rows = [row(m, n, 1.0, "smaller") for m in ("original", "a.b[0]") for n in names]
    first, second = heatmap(study(rows))
    check(first, ["m[", "a.b"])
    assert (first.name, second.name) == ("heatmap", "heatmap-2")
    assert len(cells_of(first)) == 24
    assert len(cells_of(second)) == 6
    assert all("\\u202e" in one["measure"] for one in cells_of(first))


def test_a_sign_stands_upright_above_each_column_that_has_a_better_side() -> None:
    rows = [*small(), row("original", "which way", 3.0, "")]
    [figure] = heatmap(study(rows))
    signs = {one["label"]: one["sign"] for one in data(figure) if "method" not in one}
    assert signs == {"WEAT": "→0", "analogy": "↑"}
    [above] = [one for one in figure.spec()["layer"] if "sign" in str(one["encoding"].get("text"))]
    assert above["mark"].get("angle", 0) == 0
    assert not {"→0 WEAT", "↑ analogy"} & set(
        figure.spec()["layer"][0]["encoding"]["x"]["scale"]["domain"]
    )
