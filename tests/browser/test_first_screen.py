"""The page answers on its first screen: the verdict and the main figure, wide and narrow."""

import json

import pytest
from scripts.serving import Served

from tests.browser.exploring import SHOWN, press
from tests.browser.first_screen import FOLD, beyond_the_first_screen
from tests.browser.tabs import Tab, Tabs

LEAD = ("#explore-result .verdict", "#explore-result .lead figure .live svg")
OF_FORMS = {
    "measure": ("#measure-start", "#measure-result"),
    "probes": ("#probe-start", "#probe-result"),
    "compare": ("#compare-start", "#compare-result"),
}


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_verdict_and_main_figure_end_on_the_first_screen(
    tabs: Tabs, server: Served, width: int, theme: str
) -> None:
    tab = tabs.new(viewport={"width": width, "height": FOLD}, color_scheme=theme)
    tab.page.goto(server.address)
    tab.page.wait_for_selector(SHOWN, timeout=60_000)
    assert beyond_the_first_screen(tab, LEAD) == []
    for choice in ("#choice-1", "#choice-2", "#choice-3"):
        press(tab, choice)
        assert tab.page.evaluate("scrollY") == 0
        tab.page.wait_for_selector("#tables-result table", timeout=60_000)
        assert beyond_the_first_screen(tab, LEAD) == [], choice
    tab.assert_quiet()


@pytest.mark.parametrize("width", [1280, 390])
def test_what_a_form_asks_for_is_brought_onto_the_screen(
    tabs: Tabs, server: Served, width: int
) -> None:
    tab = tabs.new(viewport={"width": width, "height": FOLD})
    tab.page.goto(server.address)
    tab.page.wait_for_selector(SHOWN, timeout=60_000)
    for name, (start, result) in OF_FORMS.items():
        tab.page.click(f"#tab-{name}")
        if name == "probes":
            tab.page.fill("#probe-method", "hard")
            tab.page.fill("#probe-given", "resamples=50, contexts=20")
        tab.page.click(f"{start}:not([disabled])")
        tab.page.wait_for_selector(f"{result} .keep", timeout=60_000)
        tab.page.wait_for_function(
            """() => new Promise((done) => {
                const at = scrollY;
                setTimeout(() => done(scrollY === at), 120);
            })"""
        )
        places = [f"{result} .verdict", f"{result} figure .live"]
        assert beyond_the_first_screen(tab, places) == [], name


def test_the_verdict_on_the_page_is_that_of_the_record_that_can_be_kept(tab: Tab) -> None:
    press(tab, "#choice-1")
    tab.page.wait_for_selector("#tables-result table", timeout=60_000)
    address = tab.page.get_attribute("#keepers .get-record", "href")
    record = json.loads(
        tab.page.evaluate("(address) => fetch(address).then((it) => it.text())", address)
    )
    assert tab.page.inner_text("#explore-result .verdict") == record["conclusion"]["sentence"]
    rows = tab.page.locator("#tables-result tbody tr").count()
    assert rows == len(record["results"])
