"""The figures of probes, from records of the built-in model on real vectors."""

import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import pytest

from tests.reports.figures.made_studies import check, data
from unslant.concepts import concept
from unslant.probes.nli import pair_set
from unslant.reports.figures.export import drawn
from unslant.reports.figures.neutrality import neutrality
from unslant.reports.figures.of_record import figures_of
from unslant.reports.figures.probe_values import plain_name
from unslant.reports.figures.share_bars import LABELS
from unslant.reports.figures.shares import shares
from unslant.reports.figures.theme import THEMES, config
from unslant.studies.probing import probe_nli
from unslant.vectors import load


@cache
def record(name: str, compare: bool = True) -> dict[str, Any]:
    pairs = pair_set(name, contexts=4, seed=0)
    given: dict[str, Any] = {"method": "hard", "concept": concept("gender"), "compare": True}
    return probe_nli(load(), pairs, resamples=20, controls=2, **(given if compare else {})).record


@pytest.mark.parametrize("name", ["marked-attribute", "gender-occupation", "sirt", "religion"])
def test_every_family_of_sets_has_its_figures(name: str) -> None:
    plain = record(name)
    figures = figures_of(plain)
    assert [figure.name for figure in figures] == ["measures", "answers", "answers-words"]
    for figure in figures:
        check(figure)
    bars = [one for one in data(figures[0]) if one.get("when") in ("before", "after debiasing")]
    expected = {item["title"] for item in plain["measurements"]}
    assert {one["title"] for one in bars} == expected
    assert len(bars) == 2 * len(expected)


def test_bars_intervals_and_controls_are_the_numbers_of_the_record() -> None:
    plain = record("marked-attribute")
    figure = neutrality(plain)
    assert figure is not None
    item, control = plain["measurements"][0], plain["controls"][0]
    after = next(one for one in data(figure) if one["when"] == "after debiasing")
    assert after["x"] == pytest.approx(item["value"], rel=1e-4)
    assert after["low"] == pytest.approx(item["interval"]["low"], rel=1e-4)
    band = next(one for one in data(figure) if one["when"] == "random directions")
    values = [point["value"] for point in control["points"]]
    assert (band["low"], band["high"]) == pytest.approx((min(values), max(values)), rel=1e-4)
    assert "2 draws" in figure.caption
    assert "smaller is better" in figure.description


def test_without_a_comparison_there_is_one_bar_for_each_measure() -> None:
    plain = record("marked-attribute", compare=False)
    figure = neutrality(plain)
    assert figure is not None
    check(figure)
    assert len(data(figure)) == len(plain["measurements"])
    for other in shares(plain):
        check(other)
        assert "before" not in other.description


def test_a_measure_without_a_value_is_there_as_such() -> None:
    plain = record("marked-attribute", compare=False)
    items = [dict(item) for item in plain["measurements"]]
    items[0] |= {"value": None, "interval": None, "why_undefined": "no words left"}
    figure = neutrality({**plain, "measurements": items})
    assert figure is not None
    check(figure)
    assert (data(figure)[0]["text"], data(figure)[0]["note"]) == ("NA", "no words left")
    assert len(bars_of(drawn(figure, "svg").decode())) == len(items) - 1


def bars_of(svg: str) -> list[dict[str, str]]:
    """The attributes of every bar in a drawing."""
    return [
        element.attrib
        for element in ET.fromstring(svg).iter()
        if element.get("aria-roledescription") == "bar"
    ]


def contrast(one: str, other: str) -> float:
    """How far two colours are apart in lightness, from 1 to 21, as WCAG counts it."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, bright = sorted(light(colour) + 0.05 for colour in (one, other))
    return bright / dark


@pytest.mark.parametrize("theme", THEMES)
def test_the_edge_of_every_bar_stands_out_from_the_ground(theme: str) -> None:
    plain = record("marked-attribute", compare=False)
    ground = config(theme)["background"]
    for figure in figures_of(plain):
        bars = bars_of(drawn(figure, "svg", theme).decode())
        assert bars
        assert all(contrast(bar["stroke"], ground) >= 3 for bar in bars)
        assert all(float(bar.get("opacity", 1)) == 1 for bar in bars)


def test_the_parts_of_a_bar_are_the_mean_answer_and_fill_it() -> None:
    plain = record("gender-occupation")
    groups = shares(plain)[0]
    rows = [one for one in data(groups) if one["name"] == "female"]
    before = next(item for item in plain["groups_before"] if item["hypotheses"] == "female")
    for place, label in enumerate(LABELS):
        one = rows[place]
        assert one["answer"] == label
        assert one["end"] - one["begin"] == pytest.approx(before[label], abs=1e-4)
    assert rows[0]["begin"] == 0
    assert rows[2]["end"] == pytest.approx(1, abs=1e-4)
    # Before comes first, then after: two bars of three parts for each of the two groups.
    assert len(data(groups)) == 12


def test_the_words_shown_are_those_whose_right_answer_is_least_probable() -> None:
    plain = record("gender-occupation")
    words = list(dict.fromkeys(one["name"].split(" →")[0] for one in data(shares(plain)[1])))
    worst = {
        word: min(item["right"] for item in plain["groups_before"] if item["word"] == word)
        for word in (item["word"] for item in plain["groups_before"] if item["side"] == "premise")
    }
    assert words == sorted(worst, key=lambda word: worst[word])[:8]


def test_other_records_and_older_probes_have_none() -> None:
    assert neutrality({"kind": "unslant audit 2"}) is None
    assert shares({"kind": "x"}) == ()
    older = {key: item for key, item in record("sirt").items() if not key.startswith("groups")}
    assert shares(older) == ()


def test_a_measure_nobody_knows_keeps_its_name() -> None:
    assert plain_name("mine") == "mine"
