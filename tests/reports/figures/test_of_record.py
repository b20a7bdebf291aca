"""Every figure of a record: which there are, that they can be drawn, and hostile words in them."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from tests.reports.figures.made_records import (
    audit_of,
    clustering,
    keeps_the_rules,
    lean,
    rows_of,
    weat,
)
from tests.reports.hostile import PAYLOADS
from unslant.concepts import concept
from unslant.core.exhibits import Exhibit, Point, Points, Share, Shares, Spectrum, spectrum
from unslant.core.record import Record, Resource
from unslant.core.visible import visible
from unslant.reports.figures.export import drawn
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import figures_of
from unslant.studies.audit import audit
from unslant.vectors import WordVectors

OWN = str(Path(__file__).parents[3] / "examples" / "pets.toml")
DRAWN = {"svg", "g", "path", "line", "rect", "text", "title", "defs", "clipPath", "tspan"}


def drawing(figure: Figure) -> ET.Element:
    """The figure as a drawing, with nothing in it but shapes and text."""
    text = drawn(figure, "svg").decode()
    assert "NaN" not in text
    assert "undefined" not in text
    root = ET.fromstring(text)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= DRAWN
    return root


def test_an_audit_with_a_method_has_every_figure_once(compared: Record) -> None:
    figures = figures_of(compared)
    names = [figure.name for figure in figures]
    assert names == [
        "findings", "scatter-occupations", "scatter-professions", "scatter-neutral-words",
        "extremes-occupations", "extremes-professions", "extremes-neutral-words",
        "forest-weat", "clusters",
    ]  # fmt: skip
    for figure in figures:
        keeps_the_rules(figure)
        drawing(figure)
    assert sum(len(json.dumps(figure.spec())) for figure in figures) < 1_500_000


def test_real_words_lie_where_people_expect_them(compared: Record) -> None:
    first = next(figure for figure in figures_of(compared) if figure.name.startswith("scatter"))
    before = [row for row in rows_of(first) if "gap" in row]
    by_word = {row["word"]: row["gap"] for row in reversed(before)}
    assert by_word["nurse"] > 0.05 > -0.05 > by_word["coach"]
    gaps = [row["gap"] for row in before]
    half = len(gaps) // 2
    assert max(map(abs, gaps[:half])) > 0.1
    before_sum, after_sum = (sum(map(abs, part)) for part in (gaps[:half], gaps[half:]))
    assert after_sum < 0.95 * before_sum  # less, and far from gone: see docs/methods-table.md


@pytest.mark.parametrize(
    ("name", "some"),
    [
        ("race", {"scatter-occupations", "extremes-professions", "forest-weat"}),
        ("religion", {"scatter-polarity", "extremes-polarity", "forest-weat"}),
        ("nationality", {"scatter-occupations", "extremes-occupations"}),
        ("age", {"scatter-professions", "extremes-occupations", "forest-weat"}),
        (OWN, {"scatter-occupations", "extremes-occupations", "forest-weat"}),
    ],
)
def test_every_concept_has_figures_also_where_words_are_missing(
    glove: WordVectors, name: str, some: set[str]
) -> None:
    chosen, small = concept(name), glove.head(15_000)
    jobs = [("weat(random_lists=0)", test) for test in chosen.tests.values()]
    jobs += [(f"direct-bias(neutral={item})", chosen) for item in chosen.neutral]  # type: ignore[misc]
    figures = figures_of(audit(small, chosen, jobs=jobs).record)
    assert some <= {figure.name for figure in figures}
    for figure in figures:
        keeps_the_rules(figure)
    drawing(figures[0])


@pytest.mark.parametrize("start", range(0, len(PAYLOADS), 40))
def test_hostile_words_and_names_stay_text(start: int) -> None:
    texts = [
        *PAYLOADS[start : start + 40],
        "a\x00b",
        "bell\x07",
        "\u202eabc",
        "w" * 5_000,
        "a.b[c]",
    ]
    points = [(text, 0.1 + n / 40, 0.9 - n / 40) for n, text in enumerate(texts)]
    item = lean(points, texts[3], **{"positive-side": texts[0], "first-side": texts[2]})
    plane = [(text, texts[n % 2], str(n % 2 + 1), n / 9, n % 5) for n, text in enumerate(texts)]
    rows = tuple(Share(label=text, group=text, shares=(0.5, 0.5)) for text in texts[:16])
    exhibits: tuple[Exhibit, ...] = (
        *spectrum([Spectrum(texts[7], (0.6, 0.4))], texts[5], texts[6]),
        Points(
            id=texts[8],
            title=texts[8],
            x=texts[9],
            part=texts[10],
            ends=(texts[0], texts[1]),
            points=tuple(Point(label=text, x=n - 9) for n, text in enumerate(texts)),
        ),
        Shares(id="shares", title=texts[8], labels=(texts[0], texts[1]), rows=rows),
    )
    tests = [item, weat(texts[4], 1, 0, 2), clustering(plane)]
    record = replace(
        audit_of(tests, [item], exhibits=exhibits, unlike=texts[9]),
        resource=Resource(name=texts[6], kind="vectors"),
    )
    figures = figures_of(record)
    kinds = [figure.name.partition("-")[0] for figure in figures]
    assert kinds[:5] == ["scatter", "extremes", "forest", "clusters", "spectrum"]
    assert len(kinds) == 7
    for figure in figures:
        keeps_the_rules(figure)
        root = drawing(figure)
        assert all(not key.lower().startswith("on") for e in root.iter() for key in e.attrib)
    words = {row.get("word") for row in rows_of(figures[0])}
    assert {visible(text) for text in texts} <= words
    assert figures[0].name.replace("-", "").isalnum()


def test_an_empty_record_has_no_figures() -> None:
    assert figures_of(audit_of([])) == ()


def test_two_lists_whose_names_look_alike_in_a_file_name_keep_apart() -> None:
    points = [("one", 0.5, 0.2), ("two", 0.2, 0.5)]
    names = [
        figure.name for figure in figures_of(audit_of([lean(points, "a b"), lean(points, "a/b")]))
    ]
    assert len(set(names)) == len(names) == 4


def test_no_text_of_a_chart_can_stop_the_drawing() -> None:
    import altair as alt

    chart = alt.Chart(alt.Data(values=[{"word": "a\x00b\ud800\uffff"}])).mark_text()
    figure = Figure(
        name="odd", title="", caption="", description="", chart=chart.encode(text="word:N")
    )
    assert b"a\\x00b\\ud800\\uffff" in drawn(figure, "svg")
