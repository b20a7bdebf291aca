"""Points in a plane: places, sides, clusters, labels, and what is left out."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.reports.figures.made_records import (
    audit_of,
    clustering,
    keeps_the_rules,
    lean,
    rows_of,
    texts_of,
    without,
)
from unslant.core.measurement import Measurement
from unslant.core.record import Meaning, Record
from unslant.core.score import Drawing
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import drawings

WORDS = [("nurse", 0.6, 0.2), ("coach", 0.1, 0.5), ("clerk", 0.3, 0.3)]
FAR = [("a", "ups", "1", -1.0, 0.0), ("b", "ups", "1", -0.9, 0.1), ("c", "acrosses", "2", 1.0, 0.0)]


def planes(record: Record, kind: str = "plane") -> list[Figure]:
    figures = list(drawings(record, kind))
    for figure in figures:
        keeps_the_rules(figure)
    return figures


def test_a_word_lies_at_its_two_cosines_on_the_side_that_it_is_closer_to() -> None:
    [figure] = planes(audit_of([lean(WORDS)]))
    by_word = {row["word"]: row for row in rows_of(figure) if "gap" in row}
    assert (by_word["nurse"]["x"], by_word["nurse"]["y"]) == (0.2, 0.6)
    assert [by_word[word]["side"] for word in ("nurse", "coach", "clerk")] == [
        "up", "across", "neither",
    ]  # fmt: skip
    assert by_word["coach"]["gap"] == pytest.approx(-0.4)


def test_the_furthest_words_are_named_and_those_on_the_line_are_not() -> None:
    [figure] = planes(audit_of([lean(WORDS)]))
    assert {"nurse", "coach", "equally close", "closer to “up”"} <= set(texts_of(figure))
    assert "clerk" not in texts_of(figure)


def test_before_and_after_have_one_scale_and_words_keep_their_side() -> None:
    after = [("nurse", 0.2, 0.4), ("coach", 0.3, 0.3), ("clerk", 0.3, 0.3)]
    [figure] = planes(audit_of([lean(after)], [lean(WORDS)]))
    spec = figure.spec()
    titles = [part["title"]["text"] for part in spec["concat"]]
    assert titles == ["before: old.vectors", "after: new.vectors"]
    domains = {
        str(layer["encoding"][axis]["scale"]["domain"])
        for part in spec["concat"]
        for layer in part["layer"]
        for axis in "xy"
    }
    assert len(domains) == 1
    sides = [row["side"] for row in rows_of(figure) if row.get("word") == "nurse" and "gap" in row]
    assert sides == ["up", "up"]
    assert "1 closer to up, 1 closer to across, 1 to neither" in figure.description
    assert "0 closer to up, 1 closer to across, 2 to neither" in figure.description


def test_the_caption_says_why_before_and_after_do_not_compare() -> None:
    for now, before, kind in (
        (lean(WORDS), lean(WORDS[:2]), "plane"),
        (clustering(FAR), clustering(FAR[:2]), "clusters"),
    ):
        [figure] = planes(audit_of([now], [before]), kind)
        assert "≠" not in figure.caption
        [figure] = planes(audit_of([now], [before], unlike="measured on other words"), kind)
        assert "≠ Before and after are not fully comparable: measured on other words." in (
            figure.caption
        )


def test_of_several_results_for_one_list_the_first_with_points_is_drawn() -> None:
    gone, first = lean([]), lean([("nurse", 0.3, 0.3), ("coach", 0.2, 0.2)])
    [figure] = planes(audit_of([gone, first, lean(WORDS)], [None, lean(WORDS), lean(WORDS)]))
    assert "after: new.vectors: 2 points" in figure.description


def test_without_the_cosines_or_points_there_is_no_plane() -> None:
    one_sided = without(lean(WORDS), "first-cosine", "second-cosine")
    text = replace(lean(WORDS), points=({"word": "a", "first-cosine": "b", "second-cosine": 1.0},))
    for items in ([one_sided], [text], [lean([])], []):
        assert planes(audit_of(items)) == []


def test_each_list_has_a_figure_of_its_own_name() -> None:
    lists = [lean(WORDS, name) for name in ("things", "Other things/2")]
    names = [figure.name for figure in planes(audit_of(lists))]
    assert names == ["scatter-things", "scatter-other-things-2"]


def test_one_word_or_words_that_are_all_alike_can_be_drawn() -> None:
    for points in ([("one", 0.5, 0.2)], [("one", 0.3, 0.3), ("two", 0.3, 0.3)]):
        assert len(planes(audit_of([lean(points)]))) == 1


def test_a_thousand_words_are_all_there_and_few_are_named() -> None:
    many = [(f"word{n}", 0.3 + n % 37 / 100, 0.3 + n % 41 / 100) for n in range(1_000)]
    [figure] = planes(audit_of([lean(many)]))
    assert sum("gap" in row for row in rows_of(figure)) == 1_000
    assert 5 < len(texts_of(figure)) < 60


def test_of_more_than_two_groups_the_caption_says_which_are_shown() -> None:
    [figure] = planes(audit_of([lean(WORDS)], groups=["up", "across", "down"]))
    assert "first two of 3 groups" in figure.caption


def test_a_word_has_its_place_its_side_and_its_cluster() -> None:
    [figure] = planes(audit_of([clustering(FAR)]), "clusters")
    rows = {row["word"]: row for row in rows_of(figure) if "cluster" in row}
    assert (rows["a"]["x"], rows["a"]["side"]) == (-1.0, "ups")
    assert rows["a"]["cluster"] == rows["b"]["cluster"] != rows["c"]["cluster"]
    assert "ups: 2 in one cluster, 0 in another" in figure.description
    assert figure.spec()["title"]["subtitle"] == "accuracy 0.90, V-measure 0.80"


def test_the_filled_cluster_is_that_of_the_first_side_whatever_its_number() -> None:
    turned = [
        (word, side, {"1": "2", "2": "1"}[cluster], x, y) for word, side, cluster, x, y in FAR
    ]
    [figure] = planes(audit_of([clustering(turned)], [clustering(FAR)]), "clusters")
    filled = [row["cluster"] for row in rows_of(figure) if row["word"] == "a" and "cluster" in row]
    assert len(filled) == 2
    assert len(set(filled)) == 1


def test_a_measure_that_nobody_knows_is_drawn_as_it_declares() -> None:
    points: list[Mapping[str, float | str]] = [
        {"item": "a", "big-one": 1.0, "other": 200.0, "kind": "k"},
        {"item": "b", "big-one": 2.0, "other": 100.0, "kind": "l"},
    ]
    found = Measurement(value=1.0, metric="mine", title="Mine", points=tuple(points))
    how = Drawing(kind="plane", x="big-one", y="other", label="item", group="kind")
    own = Meaning(summary="What?", role="concept", better="smaller", drawn=(how,))
    [figure] = planes(audit_of([found], glossary={"mine": own}))
    assert figure.title == "Mine: big one and other"
    assert {row["side"] for row in rows_of(figure) if "side" in row} == {"k", "l"}
    across, upwards = (
        figure.spec()["layer"][0]["encoding"][axis]["scale"]["domain"] for axis in "xy"
    )
    assert across[1] < 3 < 99 < upwards[0] + 10
    assert "big one from 1.000 to 2.000, other from 100.000 to 200.000" in figure.description
