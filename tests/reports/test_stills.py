"""Pictures inside pages: the same drawing in less space."""

import re
import xml.etree.ElementTree as ET

import altair as alt
import pytest

from unslant.core.record import Record
from unslant.reports.figures.export import briefer, drawn
from unslant.reports.figures.figure import Figure
from unslant.reports.html.shell import figure_page
from unslant.reports.page import page


@pytest.fixture(scope="module")
def figure() -> Figure:
    values = [
        {"x": n / 7, "y": n * n % 11, "side": "ab"[n % 2], "word": f"w{n}"} for n in range(60)
    ]
    base = alt.Chart(alt.InlineData(values=values)).encode(x="x:Q", y="y:Q")
    chart = base.mark_point().encode(color="side:N", tooltip=["word:N"])
    words = base.mark_text().encode(text="word:N")
    return Figure(
        name="points",
        title="Points",
        caption="Each is a point.",
        description="60 points.",
        chart=chart + words,
    )


def places(svg: str) -> list[tuple[float, float]]:
    """Where the marks are, whether drawn or placed."""
    root = ET.fromstring(svg)
    found = []
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        moved = re.match(r"translate\((.*),(.*)\)", element.get("transform", ""))
        if tag == "use":
            found.append((float(element.attrib["x"]), float(element.attrib["y"])))
        elif tag == "path" and moved:
            found.append((float(moved[1]), float(moved[2])))
    return found


def test_a_briefer_picture_has_every_mark_where_it_was(figure: Figure) -> None:
    whole = drawn(figure, "svg", in_page=True).decode()
    brief = briefer(whole)
    assert len(brief) < 0.8 * len(whole)
    assert len(places(brief)) == len(places(whole)) >= 60
    for (x, y), (also_x, also_y) in zip(places(brief), places(whole), strict=True):
        assert x == pytest.approx(also_x, abs=0.006)
        assert y == pytest.approx(also_y, abs=0.006)
    root = ET.fromstring(brief)
    names = {element.get("id") for element in root.iter() if element.get("id")}
    used = {(element.get("href") or "#")[1:] for element in root.iter() if element.get("href")}
    assert used == names


def test_texts_are_left_alone(figure: Figure) -> None:
    whole = drawn(figure, "svg", in_page=True).decode()
    before, after = (
        [element.text for element in ET.fromstring(svg).iter() if element.text]
        for svg in (whole, briefer(whole))
    )
    assert before == after
    assert "w59" in before


def test_a_picture_in_a_page_has_no_title_of_its_own(figure: Figure) -> None:
    assert b"Points" in drawn(figure, "svg")
    assert b"Points" not in drawn(figure, "svg", in_page=True)
    assert b"aria-label" not in drawn(figure, "svg", in_page=True)


def test_one_figure_is_a_page_of_its_own(figure: Figure) -> None:
    html = figure_page(figure)
    assert drawn(figure, "html").decode() == html
    assert html.count('<figure class="chart"') == 1
    assert "unslantCharts.start();" in html
    assert "Each is a point." in html


def test_notebooks_get_the_picture_and_no_script(figure: Figure) -> None:
    shown = figure._repr_html_()
    assert "data:image/svg+xml;base64," in shown
    assert "<script" not in shown


def test_a_page_without_figures_has_no_script(
    studied: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unslant.reports.page.figures_of", lambda _: ())
    html = page(studied)
    assert "<script" not in html
    assert "script-src &#39;none&#39;" in html
