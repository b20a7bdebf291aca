"""Reports of every kind: the answer on the first screen, one printed sheet, quiet, accessible."""

from pathlib import Path

from tests.browser.axe import violations
from tests.browser.first_screen import FOLD, beyond_the_first_screen
from tests.browser.opening import DRAWN, read
from tests.browser.tabs import Tab, Tabs

PAPER = {"width": 688, "height": 1001}
"""A4 within the margins of the style sheet, in CSS pixels."""
PLACES = (".verdict", "#figure-1 .live svg")


def test_verdict_and_figure_are_on_the_first_screen_and_nothing_is_hard_to_reach(
    tabs: Tabs, any_report: Path
) -> None:
    tab = read(tabs, any_report, viewport={"width": 1280, "height": FOLD}, color_scheme="light")
    for width in (1280, 390):
        tab.page.set_viewport_size({"width": width, "height": FOLD})
        for theme in ("light", "dark"):
            if tab.page.get_attribute("html", "data-theme") != theme:
                tab.page.click("#theme")
            _settled(tab)
            assert beyond_the_first_screen(tab, PLACES) == [], (width, theme)
            assert violations(tab) == [], (width, theme)
            assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    tab.assert_quiet()
    assert tab.requests_beside(any_report.as_uri()) == []


def test_the_summary_fits_one_sheet_and_details_begin_on_the_next(
    tabs: Tabs, any_report: Path
) -> None:
    tab = read(tabs, any_report, viewport=PAPER)
    tab.page.emulate_media(media="print")
    box = tab.page.locator(".summary").bounding_box()
    assert box is not None
    assert 200 < box["y"] + box["height"] <= PAPER["height"]
    assert tab.style(".summary", "break-after") == "page"


def test_its_first_figure_is_read_by_keys(tabs: Tabs, any_report: Path) -> None:
    tab = read(tabs, any_report)
    tab.page.locator("#figure-1 .live").focus()
    tab.page.keyboard.press("ArrowRight")
    assert tab.page.locator(".tip").is_visible()
    assert len(tab.page.inner_text(".tip")) > 5
    tab.assert_quiet()


def _settled(tab: Tab) -> None:
    """Wait until all charts are drawn as the width and the theme want them."""
    tab.page.evaluate("() => unslantCharts.use(unslantCharts.theme).then(() => true)")
    tab.page.wait_for_function(DRAWN)
