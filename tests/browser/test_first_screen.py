"""The page answers on its first screen: the verdict and the main figure, wide and narrow."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from scripts.serving import Served, served

from tests.browser.exploring import SHOWN, press
from tests.browser.first_screen import FOLD, beyond_the_first_screen
from tests.browser.tabs import Tab, Tabs
from unslant.core.record import Record

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
    with tab.page.expect_download() as download:
        tab.page.click("#keepers .get-record")
    record = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert tab.page.inner_text("#explore-result .verdict") == record["conclusion"]["sentence"]
    rows = tab.page.locator("#tables-result tbody tr").count()
    assert rows == len(record["results"])


@pytest.mark.parametrize("width", [1280, 390])
def test_words_of_another_language_are_warned_of_on_the_first_screen(
    tabs: Tabs, server: Served, width: int
) -> None:
    tab = tabs.new(viewport={"width": width, "height": FOLD})
    tab.page.goto(f"{server.address}#tab=explore&vectors=v1&concept=weathub-de")
    tab.page.wait_for_selector("#explore-result[aria-busy=false]", timeout=60_000)
    notice = "#explore :is(.lead .notice, [role=alert]):has-text('language')"
    tab.page.wait_for_selector(notice)
    assert beyond_the_first_screen(tab, [notice]) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_warnings_of_a_record_stand_above_its_verdict(
    tabs: Tabs, record: Record, tmp_path: Path, width: int
) -> None:
    path = tmp_path / "warned.json"
    warned = replace(record, warnings=("these are <b>not</b> the words",))
    path.write_text(json.dumps(warned.to_dict()), encoding="utf-8")
    with served(str(path)) as server:
        tab = tabs.new(viewport={"width": width, "height": FOLD})
        tab.page.goto(server.address)
        tab.page.wait_for_selector("#given-result .verdict", timeout=60_000)
        warning, verdict = "#given-result .lead .notice", "#given-result .verdict"
        assert beyond_the_first_screen(tab, [warning, verdict]) == []
        assert tab.page.inner_text(warning) == "Warning: these are <b>not</b> the words"
        boxes = [tab.page.locator(place).bounding_box() for place in (warning, verdict)]
        tops = [box["y"] for box in boxes if box is not None]
        assert len(tops) == 2
        assert tops == sorted(tops)
