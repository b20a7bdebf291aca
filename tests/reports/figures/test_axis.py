"""Bars of the words that lean furthest: which, how far, and before and after."""

from tests.reports.figures.made_records import (
    audit_of,
    keeps_the_rules,
    lean,
    rows_of,
    texts_of,
    without,
)
from unslant.core.record import Record
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import drawings

MANY = [(f"up{n}", 0.5 + n / 100, 0.1) for n in range(20)] + [
    (f"low{n}", 0.1, 0.5 + n / 100) for n in range(20)
]


def bars_of(record: Record) -> Figure:
    [figure] = drawings(record, "axis")
    keeps_the_rules(figure)
    return figure


def words_in_order(figure: Figure) -> list[str]:
    rows = {row["row"]: row["word"] for row in rows_of(figure) if "word" in row}
    return [rows[row] for row in sorted(rows)]


def test_the_twelve_furthest_of_each_side_stand_below_its_name_furthest_first() -> None:
    figure = bars_of(audit_of([lean(MANY)]))
    words = words_in_order(figure)
    assert words[:3] == ["up19", "up18", "up17"]
    assert words[12:14] == ["low19", "low18"]
    assert len(words) == 24
    assert {"towards ups", "towards acrosses"} <= set(texts_of(figure))
    assert "vconcat" not in figure.spec()  # there is nothing to explain in a key


def test_the_words_are_chosen_by_before() -> None:
    after = lean([(word, 0.4, 0.2) for word, _, _ in MANY])
    figure = bars_of(audit_of([after], [lean(MANY)]))
    assert words_in_order(figure)[:2] == ["up19", "up18"]
    [row] = {(row["before"], row["now"]) for row in rows_of(figure) if row.get("word") == "up19"}
    assert row == (0.59, 0.2)
    assert {"before", "after"} <= set(texts_of(figure))
    assert "up19 (0.59, then 0.20)" in figure.description
    assert "along the direction as it was before" in figure.caption


def test_a_direction_that_is_gone_leaves_the_bars_of_before() -> None:
    figure = bars_of(audit_of([lean([])], [lean(MANY)]))
    assert all("now" not in row for row in rows_of(figure))


def test_a_direction_without_named_sides_has_two_ends() -> None:
    figure = bars_of(audit_of([without(lean(MANY), "positive-side", "negative-side")]))
    assert {"towards one end", "towards the other end"} <= set(texts_of(figure))


def test_of_several_axes_the_caption_says_which_is_drawn() -> None:
    assert "first of 2 axes" in bars_of(audit_of([lean(MANY, axes=2)])).caption


def test_words_that_are_all_on_one_side_or_nowhere() -> None:
    assert "towards acrosses" not in texts_of(bars_of(audit_of([lean(MANY[:3])])))
    assert list(drawings(audit_of([lean([("flat", 0.2, 0.2)])]), "axis")) == []
