"""Bars of the words that lean furthest: which, how far, and before and after."""

import pytest

from tests.reports.figures.audits import audit_of, keeps_the_rules, lean, rows_of, texts_of
from unslant.reports.figures.extremes import extremes

MANY = [(f"up{n}", 0.5 + n / 100, 0.1) for n in range(20)] + [
    (f"low{n}", 0.1, 0.5 + n / 100) for n in range(20)
]


def words_in_order(figure) -> list[str]:  # type: ignore[no-untyped-def]
    rows = {row["row"]: row["word"] for row in rows_of(figure) if "word" in row}
    return [rows[row] for row in sorted(rows)]


def test_the_twelve_furthest_of_each_side_stand_below_its_name_furthest_first() -> None:
    [figure] = extremes(audit_of([lean(MANY)]))
    keeps_the_rules(figure)
    words = words_in_order(figure)
    assert words[:3] == ["up19", "up18", "up17"]
    assert words[12:14] == ["low19", "low18"]
    assert len(words) == 24
    assert {"towards ups", "towards acrosses"} <= set(texts_of(figure))
    assert "vconcat" not in figure.spec()  # there is nothing to explain in a key


@pytest.mark.parametrize("older", ["own", "refitted"])
def test_the_words_are_chosen_by_before_and_shown_along_its_direction(older: str) -> None:
    """Records that were measured along both directions, the older ones with "own" first."""
    anew = lean([(word, 0.3, 0.3) for word, _, _ in MANY], of=older)
    after = lean([(word, 0.4, 0.2) for word, _, _ in MANY], of="baseline")
    [figure] = extremes(audit_of([anew, after], [lean(MANY, of=older), lean(MANY, of="baseline")]))
    keeps_the_rules(figure)
    assert words_in_order(figure)[:2] == ["up19", "up18"]
    [row] = {(row["before"], row["after"]) for row in rows_of(figure) if row.get("word") == "up19"}
    assert row == (0.59, 0.2)
    assert {"before", "after"} <= set(texts_of(figure))
    assert "up19 (0.59, then 0.20)" in figure.description
    assert "along the direction of before" in figure.caption


def test_a_direction_that_is_gone_leaves_the_bars_of_before() -> None:
    [figure] = extremes(audit_of([lean([])], [lean(MANY)]))
    keeps_the_rules(figure)
    assert all("after" not in row for row in rows_of(figure))


def test_before_and_after_on_other_words_are_said_not_to_compare() -> None:
    [figure] = extremes(audit_of([lean(MANY[:-1])], [lean(MANY)]))
    assert "measured on different words" in figure.caption
    [figure] = extremes(audit_of([lean(MANY)], [lean(MANY)]))
    assert "different words" not in figure.caption


def test_a_direction_without_named_sides_has_two_ends() -> None:
    item = lean(MANY)
    del item["details"]["positive side"], item["details"]["negative side"]
    [figure] = extremes(audit_of([item]))
    assert {"one end of the direction", "the other end"} <= set(texts_of(figure))


def test_of_several_axes_the_caption_says_which_is_drawn() -> None:
    [figure] = extremes(audit_of([lean(MANY, axes=2)]))
    assert "first of 2 axes" in figure.caption


def test_words_that_are_all_on_one_side_or_nowhere() -> None:
    [figure] = extremes(audit_of([lean(MANY[:3])]))
    keeps_the_rules(figure)
    assert "towards acrosses" not in texts_of(figure)
    assert extremes(audit_of([lean([("flat", 0.2, 0.2)])])) == ()
