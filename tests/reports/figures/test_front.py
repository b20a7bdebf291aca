"""The front: who is beaten by none, and a line that goes through exactly these."""

from typing import Any

import pytest

from tests.reports.figures.made_studies import check, data, row, study
from unslant.core.record import Role
from unslant.core.score import Better
from unslant.core.study_record import StudyPart
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.front import Side, Spot, front, sides, spots, staircase

ROLES: dict[str, Role] = {"WEAT": "test", "analogy": "quality"}
PLACES = {"original": (-1.5, 0.7), "hard": (0.5, 0.6), "soft": (1.0, 0.5), "leace": (0.1, 0.2)}


def record(**given: Any) -> StudyPart:
    rows = []
    for method, (bias, quality) in PLACES.items():
        rows.append(row(method, "WEAT", bias, "closer to 0", interval=(bias - 1, bias + 0.5)))
        rows.append(row(method, "analogy", quality, "larger", **given))
    return study(rows, ROLES)


def figure_of(plain: StudyPart) -> Figure:
    found = front(plain)
    assert found is not None
    return found


def drawn(made: StudyPart) -> tuple[list[Spot], tuple[Side, Side]]:
    assert made.table is not None
    assert made.front is not None
    return spots(made, made.table, made.front), sides(made.front)


def test_the_best_by_both_are_told_from_the_beaten() -> None:
    figure = figure_of(record())
    check(figure)
    kinds = {one["method"]: one["kind"] for one in data(figure) if "kind" in one}
    assert kinds == {
        "original": "without a method, beaten by none",
        "hard": "beaten by none",
        "soft": "beaten by another",
        "leace": "beaten by none",
    }
    assert figure.title == "Bias against quality"
    assert "3 beaten by none" in figure.description
    beaten = next(one for one in data(figure) if one.get("method") == "soft")
    assert beaten["x"] == 1.0
    assert "hard" in beaten["worse"]


def test_the_line_has_its_corners_where_they_are_by_hand() -> None:
    found, both = drawn(record())
    corners = staircase(found, both, ((0.0, 2.0), (0.0, 1.0)))
    assert corners == [
        (0.1, 0.0),
        (0.1, 0.2),
        (0.5, 0.2),
        (0.5, 0.6),
        (1.5, 0.6),
        (1.5, 0.7),
        (2.0, 0.7),
    ]


def test_no_point_lies_beyond_the_line_whichever_side_is_better() -> None:
    for first in ("larger", "smaller", "closer to 0"):
        for second in ("larger", "smaller"):
            rows = [
                item
                for method, (one, other) in PLACES.items()
                for item in (row(method, "A", one, first), row(method, "B", other, second))
            ]
            found, both = drawn(study(rows))
            best = {(spot.x, spot.y) for spot in found if spot.is_best}
            assert best <= set(staircase(found, both, ((-9.0, 9.0), (-9.0, 9.0))))
            for spot in found:
                signs = [1 if side.is_more_better else -1 for side in both]
                beats = [
                    other
                    for other in found
                    if signs[0] * other.x >= signs[0] * spot.x
                    and signs[1] * other.y >= signs[1] * spot.y
                    and (other.x, other.y) != (spot.x, spot.y)
                ]
                assert spot.is_best == (not beats)


def test_an_interval_around_the_goal_begins_at_the_goal() -> None:
    side = Side("WEAT", Better.of("closer to 0.5"))
    assert side.on_axis(0.2) == pytest.approx(0.3)
    assert side.bounds((0.4, 0.9)) == pytest.approx((0.0, 0.4))
    assert side.bounds((0.1, 0.3)) == pytest.approx((0.2, 0.4))
    assert Side("E", Better.of("smaller")).bounds((0.4, 0.9)) == (0.4, 0.9)
    assert side.bounds(None) is None


def test_what_used_other_words_is_marked_and_names_are_only_values() -> None:
    rows = [
        row(method, name, value, way, words_key=f"{method == 'a[0].b' and name == 'WEAT'}")
        for method, values in {
            "original": (1.0, 0.5),
            "a[0].b": (0.5, 0.6),
            "c": (0.7, 0.1),
        }.items()
        for name, way, value in zip(("WEAT", "q.[x]"), ("smaller", "larger"), values, strict=True)
    ]
    figure = figure_of(study(rows, {"q.[x]": "quality"}))
    check(figure, ["a[0]", "q.["])
    assert "a[0].b ≠" in {one.get("word") for one in data(figure)}


def test_without_two_measures_there_is_no_front() -> None:
    assert front(study([row("original", "E", 1.0, "smaller")])) is None
