"""The scatter of neutral words: places, sides, labels, and what is left out."""

import pytest

from tests.reports.figures.audits import audit_of, keeps_the_rules, lean, rows_of, texts_of
from unslant.reports.figures.scatter import scatter

WORDS = [("nurse", 0.6, 0.2), ("coach", 0.1, 0.5), ("clerk", 0.3, 0.3)]


def test_a_word_lies_at_its_two_cosines_on_the_side_that_it_is_closer_to() -> None:
    [figure] = scatter(audit_of([lean(WORDS)]))
    keeps_the_rules(figure)
    by_word = {row["word"]: row for row in rows_of(figure) if "gap" in row}
    assert (by_word["nurse"]["x"], by_word["nurse"]["y"]) == (0.2, 0.6)
    assert [by_word[word]["side"] for word in ("nurse", "coach", "clerk")] == [
        "up", "across", "neither",
    ]  # fmt: skip
    assert by_word["coach"]["gap"] == pytest.approx(-0.4)


def test_the_furthest_words_are_named_and_those_on_the_line_are_not() -> None:
    texts = texts_of(scatter(audit_of([lean(WORDS)]))[0])
    assert {"nurse", "coach", "equally close", "closer to “up”"} <= set(texts)
    assert "clerk" not in texts


def test_before_and_after_stand_side_by_side_on_one_scale_and_words_keep_their_side() -> None:
    after = [("nurse", 0.2, 0.4), ("coach", 0.3, 0.3), ("clerk", 0.3, 0.3)]
    [figure] = scatter(audit_of([lean(after)], [lean(WORDS)]))
    keeps_the_rules(figure)
    spec = figure.spec()
    titles = [part["title"]["text"] for part in spec["hconcat"]]
    assert titles == ["before: old.vectors", "after: new.vectors"]
    domains = {
        str(layer["encoding"][axis]["scale"]["domain"])
        for part in spec["hconcat"]
        for layer in part["layer"]
        for axis in "xy"
    }
    assert len(domains) == 1
    sides = [row["side"] for row in rows_of(figure) if row.get("word") == "nurse" and "gap" in row]
    assert sides == ["up", "up"]
    assert "1 closer to up, 1 closer to across, 1 to neither" in figure.description
    assert "0 closer to up, 1 closer to across, 2 to neither" in figure.description


def test_other_words_before_are_told_in_the_caption() -> None:
    [figure] = scatter(audit_of([lean(WORDS)], [lean(WORDS)]))
    assert "≠" not in figure.caption
    [figure] = scatter(audit_of([lean(WORDS)], [lean(WORDS[:2])]))
    assert "≠ Before and after do not compare fully: measured on different words" in figure.caption


def test_where_the_direction_is_gone_after_the_points_along_the_old_one_are_shown() -> None:
    gone = lean([])
    old = lean([("nurse", 0.3, 0.3), ("coach", 0.2, 0.2)], of="baseline")
    [figure] = scatter(audit_of([gone, old], [lean(WORDS), lean(WORDS, of="baseline")]))
    assert len(figure.spec()["hconcat"]) == 2
    assert "after: new.vectors: 2 words" in figure.description
    assert "different expression" not in figure.caption


def test_a_record_without_the_cosines_has_no_such_figure() -> None:
    older = lean(WORDS)
    for point in older["points"]:
        del point["first cosine"], point["second cosine"]
    assert scatter(audit_of([older])) == ()
    assert scatter(audit_of([lean([])])) == ()
    assert scatter(audit_of([])) == ()


def test_each_list_has_a_figure_of_its_own_name() -> None:
    lists = [lean(WORDS, name) for name in ("things", "Other things/2")]
    assert [figure.name for figure in scatter(audit_of(lists))] == [
        "scatter-things", "scatter-other-things-2",
    ]  # fmt: skip


def test_one_word_or_words_that_are_all_alike_can_be_drawn() -> None:
    for points in ([("one", 0.5, 0.2)], [("one", 0.3, 0.3), ("two", 0.3, 0.3)]):
        [figure] = scatter(audit_of([lean(points)]))
        keeps_the_rules(figure)


def test_a_thousand_words_are_all_there_and_few_are_named() -> None:
    many = [(f"word{n}", 0.3 + n % 37 / 100, 0.3 + n % 41 / 100) for n in range(1_000)]
    [figure] = scatter(audit_of([lean(many)]))
    assert sum("gap" in row for row in rows_of(figure)) == 1_000
    assert 5 < len(texts_of(figure)) < 60


def test_of_more_than_two_groups_the_caption_says_which_are_shown() -> None:
    [figure] = scatter(audit_of([lean(WORDS)], groups=["up", "across", "down"]))
    assert "first two of 3 groups" in figure.caption
