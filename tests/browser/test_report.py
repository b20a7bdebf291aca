"""A report opened from disk: alive with scripts, whole without, quiet, and fit for a telephone."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.browser.opening import place_of, read
from tests.browser.tabs import Tabs
from unslant.core.record import Record
from unslant.reports.figures.of_record import figures_of

POINTS = """figure => [...figure.querySelectorAll(".live .mark-symbol path")].map(path => {
    const { x, y, width, height } = path.getBoundingClientRect();
    const [left, top] = [x + width / 2, y + height / 2];
    const is_on_top = document.elementFromPoint(left, top) === path;
    return { left, top, is_on_top, word: path.__data__.datum.word };
})"""


def test_a_report_opens_from_disk_without_a_sound_or_a_request(
    tabs: Tabs, report: Path, record: Record
) -> None:
    tab = read(tabs, report)
    assert tab.requests_beside(report.as_uri()) == []
    assert tab.page.locator("figure.chart").count() == len(figures_of(record)) >= 4
    for figure in tab.page.locator("figure.chart").all():
        assert figure.locator(".live svg").is_visible()
        assert not figure.locator(".still").is_visible()
    tab.assert_quiet()


def test_pointing_at_a_point_shows_its_word(tabs: Tabs, report: Path, record: Record) -> None:
    tab = read(tabs, report)
    scatter = tab.page.locator(place_of("scatter", record))
    scatter.scroll_into_view_if_needed()
    points = [point for point in scatter.evaluate(POINTS) if point["is_on_top"]]
    assert len(points) > 50
    tip = tab.page.locator(".tip")
    for point in points[:: len(points) // 10]:
        tab.page.mouse.move(point["left"], point["top"])
        assert tip.is_visible()
        assert point["word"] in tip.inner_text().split()
    tab.page.mouse.move(2, 2)
    assert not tip.is_visible()
    tab.assert_quiet()


def test_the_arrow_keys_go_from_mark_to_mark(tabs: Tabs, report: Path, record: Record) -> None:
    tab = read(tabs, report)
    tip = tab.page.locator(".tip")
    live = tab.page.locator(f"{place_of('scatter', record)} .live")
    for _ in range(200):
        tab.page.keyboard.press("Tab")
        if live.evaluate("element => element === document.activeElement"):
            break
    else:
        pytest.fail("The Tab key does not reach the chart.")
    told = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"):
        tab.page.keyboard.press(key)
        assert tip.is_visible()
        told.append(tip.inner_text())
    assert told[0] == told[2] == told[4]
    assert len(set(told)) == 3
    tab.page.keyboard.press("Escape")
    assert not tip.is_visible()
    tab.assert_quiet()


def test_the_theme_switches_the_page_and_its_charts(tabs: Tabs, report: Path) -> None:
    tab = read(tabs, report, color_scheme="light")
    texts = "#figure-1 .live svg .mark-text text"

    def colours() -> tuple[str, str]:
        return tab.style("body", "background-color"), tab.style(texts, "fill")

    light = colours()
    assert light == ("rgb(255, 255, 255)", "rgb(26, 26, 26)")
    tab.page.click("#theme")
    tab.page.wait_for_function(
        "([texts, fill]) => getComputedStyle(document.querySelector(texts)).fill !== fill",
        arg=[texts, light[1]],
    )
    dark = colours()
    assert dark == ("rgb(22, 24, 29)", "rgb(232, 232, 234)")
    assert tab.page.locator("figure.is-live .live svg").count() == (
        tab.page.locator("figure.chart").count()
    )
    tab.assert_quiet()


def test_a_reader_who_prefers_dark_gets_dark(tabs: Tabs, report: Path) -> None:
    tab = read(tabs, report, color_scheme="dark")
    assert tab.style("body", "background-color") == "rgb(22, 24, 29)"
    assert tab.style("#figure-1 .live svg .mark-text text", "fill") == "rgb(232, 232, 234)"


def test_on_a_telephone_only_wide_things_scroll_not_the_page(tabs: Tabs, report: Path) -> None:
    tab = read(tabs, report, viewport={"width": 390, "height": 844})
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_the_pictures_are_there(tabs: Tabs, report: Path) -> None:
    tab = tabs.new(java_script_enabled=False)
    tab.page.goto(report.as_uri())
    stills = tab.page.locator("figure.chart .still").all()
    assert len(stills) == tab.page.locator("figure.chart").count() >= 4
    for still in stills:
        assert still.is_visible()
        assert still.evaluate("image => image.complete && image.naturalWidth") > 300
        assert len(still.get_attribute("alt") or "") > 40
    assert not tab.page.locator("#theme").is_visible()
    tab.assert_quiet()


def test_paper_gets_the_pictures_and_every_word_but_no_buttons(tabs: Tabs, report: Path) -> None:
    tab = read(tabs, report, color_scheme="dark")
    tab.page.emulate_media(media="print", color_scheme="dark")
    assert tab.style("body", "background-color") == "rgb(255, 255, 255)"
    for figure in tab.page.locator("figure.chart").all():
        assert figure.locator(".still").is_visible()
        assert not figure.locator(".live").is_visible()
    assert not tab.page.locator("#theme").is_visible()
    folded = tab.page.locator("details:not([open]) p").first
    assert (folded.bounding_box() or {"height": 0})["height"] > 0
    assert tab.page.pdf()[:5] == b"%PDF-"
    tab.assert_quiet()


def test_headings_and_regions_lead_a_screen_reader(tabs: Tabs, report: Path) -> None:
    tab = read(tabs, report)
    levels = [
        int(level)
        for level in tab.page.eval_on_selector_all(
            "h1, h2, h3, h4", "all => all.map(one => one.tagName.slice(1))"
        )
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    for region in ("main", "header", "footer", "nav"):
        assert tab.page.locator(region).count() >= 1
    tab.page.keyboard.press("Tab")
    skip = tab.page.evaluate("document.activeElement.getAttribute('href')")
    assert skip == "#main"
    unnamed = tab.page.locator("table:not(:has(caption))").count()
    assert unnamed == 0
