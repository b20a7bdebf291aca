"""The picture of own words: what it shows, of what, and that words in it are only ever data."""

import json
from typing import Any

import pytest

from unslant.reports.figures.association import association as drawn
from unslant.reports.figures.export import drawn as exported
from unslant.studies.association import association
from unslant.vectors import WordVectors

GROUPS = {"female": ["she", "her", "woman"], "male": ["he", "his", "man"]}


@pytest.fixture(scope="module")
def record(glove: WordVectors) -> dict[str, Any]:
    return association(glove, ["nurse", "engineer", "boss"], GROUPS)


def rows_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Every row of data in a chart, wherever altair has put it."""
    named = [row for rows in spec.get("datasets", {}).values() for row in rows]
    return named + [
        row for layer in spec["layer"] for row in layer.get("data", {}).get("values", [])
    ]


def test_every_word_has_its_value_and_interval_in_the_picture(record: dict[str, Any]) -> None:
    [figure] = drawn(record)
    rows = {row["word"]: row for row in rows_of(figure.spec()) if "word" in row}
    for item in record["contrasts"][0]["words"]:
        row = rows[item["word"]]
        for key in ("value", "low", "high"):
            assert row[key] == pytest.approx(item[key], rel=1e-4)
    assert rows["mean of the list"]["value"] == pytest.approx(
        record["contrasts"][0]["mean"]["value"], rel=1e-4
    )


def test_the_description_says_the_main_facts(record: dict[str, Any]) -> None:
    [figure] = drawn(record)
    for fact in ("3 words", "furthest to female is nurse", "furthest to male is", "The mean of"):
        assert fact in figure.description
    assert "female" in figure.title


def test_three_groups_give_three_pictures_on_one_scale_with_names_of_their_own(
    glove: WordVectors,
) -> None:
    groups = {**GROUPS, "neither": ["person", "people", "someone"]}
    figures = drawn(association(glove, ["nurse"], groups))
    assert len({figure.name for figure in figures}) == 3
    scales = {
        tuple(figure.spec()["layer"][0]["encoding"]["x"]["scale"]["domain"]) for figure in figures
    }
    assert len(scales) == 1


def test_another_kind_of_record_has_no_such_picture() -> None:
    assert drawn({"kind": "unslant audit 2"}) == ()


def test_odd_names_and_words_are_data_and_are_drawn_as_they_are(record: dict[str, Any]) -> None:
    odd = json.loads(json.dumps(record).replace("nurse", "a.b[0]'\\\\u202e<b>"))
    odd["contrasts"][0]["group"] = "x</script>[1].y"
    [figure] = drawn(odd)
    assert b"<svg" in exported(figure, "svg")
    fields = {
        part["field"]
        for layer in figure.spec()["layer"]
        for part in layer["encoding"].values()
        if isinstance(part, dict) and "field" in part
    }
    assert fields <= {"word", "value", "low", "high", "side", "x"}
    assert "\u202e" not in json.dumps(figure.spec(), ensure_ascii=False)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_can_be_drawn_in_every_theme_also_without_intervals(
    theme: str, glove: WordVectors
) -> None:
    [figure] = drawn(association(glove, ["nurse"], {"a": ["she"], "b": ["he"]}))
    assert exported(figure, "png", theme).startswith(b"\x89PNG")


def test_groups_whose_names_are_cut_to_the_same_text_stay_apart(glove: WordVectors) -> None:
    start = "people who " * 3
    groups = {f"{start}{name}": words for name, words in GROUPS.items()}
    [figure] = drawn(association(glove, ["nurse", "engineer"], groups))
    sides = {row["side"] for row in rows_of(figure.spec()) if row.get("side")}
    assert len(sides) == 2
