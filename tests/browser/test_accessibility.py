"""axe-core on every tab, in both themes and at both widths; and the page by keys alone."""

import pytest
from scripts.serving import Served

from tests.browser.axe import violations
from tests.browser.exploring import SHOWN, press, stop_tables
from tests.browser.tabs import Tab, Tabs

PANELS = """() => [0, 1].map((place) => document.querySelector(
    `#explore-result figure[data-name^=scatter] svg .concat_${place}_group`).getBoundingClientRect()
    .toJSON())"""
TABS = ("explore", "own", "measure", "probes", "compare")
TOLD = "(at) => document.querySelector(`[data-stop='${at}']`).outerHTML.slice(0, 90)"
MARKED = """(tab) => {
    const kinds = "a[href], button, select, input, textarea, summary, [tabindex='0']";
    const seen = [...document.getElementById(tab).querySelectorAll(kinds)].filter((it) =>
        it.checkVisibility() && !it.disabled && it.tabIndex >= 0 && !it.closest(".unseen"));
    seen.forEach((it, place) => { it.dataset.stop = place; });
    return seen.length;
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_no_tab_has_a_serious_violation_and_nothing_is_cut(
    tabs: Tabs, server: Served, width: int
) -> None:
    """In both themes, before and after results, pins, errors and the run of a probe."""
    tab = tabs.new(viewport={"width": width, "height": 900}, color_scheme="light")
    tab.page.goto(server.address)
    tab.page.wait_for_selector(SHOWN, timeout=60_000)

    def check(what: str) -> None:
        for _ in ("light", "dark"):
            assert violations(tab) == [], (what, tab.page.get_attribute("html", "data-theme"))
            assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, what
            tab.page.evaluate("unslantCharts.toggle().then(() => true)")

    press(tab, "#choice-1")
    stop_tables(tab)  # thousands of points more would only take longer
    tab.page.fill("#find-word", "nurse")
    tab.page.keyboard.press("Enter")
    tab.page.click("#more")
    check("explore, after a method, with a pin")
    for name in ("own", "measure", "probes", "compare"):
        tab.page.click(f"#tab-{name}")
        begin = {"probes": "#probe-start"}.get(name, f"#{name}-start")
        place = {"probes": "#probe"}.get(name, f"#{name}")
        if name != "own":
            if name == "probes":
                tab.page.fill("#probe-given", "resamples=50, contexts=20")
            tab.page.click(f"{begin}:not([disabled])")
        tab.page.wait_for_selector(f"{place}-result table", timeout=60_000)
        check(name)
    tab.assert_quiet()
    assert tab.requests_beside(server.root) == []


def test_axe_finds_what_is_wrong(tabs: Tabs) -> None:
    tab = tabs.new()
    tab.page.set_content("<html><body><img src='data:,'><input></body></html>")
    assert {"image-alt", "label"} <= {id for id, _ in violations(tab)}


def test_panels_of_a_chart_stand_below_each_other_on_a_telephone(
    tabs: Tabs, server: Served
) -> None:
    tab = tabs.new(viewport={"width": 390, "height": 844})
    tab.page.goto(f"{server.address}")
    tab.page.wait_for_selector(SHOWN)
    with tab.page.expect_response("**/api/jobs"):
        tab.page.click("#choice-1")
    tab.page.wait_for_selector(SHOWN)
    boxes = tab.page.evaluate(PANELS)
    assert len(boxes) == 2
    assert boxes[1]["top"] >= boxes[0]["bottom"] - 40
    assert max(box["right"] for box in boxes) <= 390
    tab.assert_quiet()


def test_every_control_is_reached_by_tab_and_shows_its_focus(tab: Tab) -> None:
    tab.page.keyboard.press("Tab")
    assert tab.page.evaluate("document.activeElement.className") == "skip"
    seen: list[str] = []
    for _ in range(40):
        tab.page.keyboard.press("Tab")
        id, outline = tab.page.evaluate(
            "[document.activeElement].map(it => [it.id, getComputedStyle(it).outlineStyle])[0]"
        )
        seen.append(id)
        assert outline != "none", id
        if id == "measure-all":
            break
    wanted = ["open-file", "theme", "tab-explore", "vectors", "concept", "as-it-is", "choice-1"]
    wanted += ["choice-2", "choice-3", "more", "find-word", "find-start"]
    assert [id for id in seen if id in wanted] == wanted
    tab.page.focus("#more")
    tab.page.keyboard.press("Enter")
    assert tab.page.evaluate("document.activeElement.id") == "method"
    tab.page.keyboard.type("linear")
    with tab.page.expect_response("**/api/jobs"):
        tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector(SHOWN)
    assert tab.page.get_attribute("#more", "aria-pressed") == "true"


def test_every_control_of_every_tab_is_a_stop_of_the_tab_key(tab: Tab) -> None:
    for name in TABS:
        tab.page.click(f"#tab-{name}")
        if name == "explore":
            tab.page.click("#more")
        if name == "own":
            tab.page.wait_for_selector("#own-result table")
        if name == "probes":
            tab.page.wait_for_selector("#probe-start:not([disabled])")
        count = tab.page.evaluate(MARKED, name)
        assert count > 4, name
        tab.page.focus(f"#tab-{name}")
        reached: set[str] = set()
        for _ in range(count + 3):
            tab.page.keyboard.press("Tab")
            stop = tab.page.evaluate("document.activeElement.dataset.stop ?? ''")
            reached.add(stop)
        missed = [str(place) for place in range(count) if str(place) not in reached]
        assert [tab.page.evaluate(TOLD, place) for place in missed] == [], name
        tab.page.evaluate(
            "document.querySelectorAll('[data-stop]').forEach((it) => { delete it.dataset.stop; })"
        )


def test_what_a_pointer_does_keys_do_too(tab: Tab) -> None:
    """Open a file, switch the theme, ask, add and remove, unfold and close, all by keys."""
    with tab.page.expect_file_chooser():
        tab.page.focus("#open-file")
        tab.page.keyboard.press("Enter")
    before = tab.page.inner_text("#theme")
    tab.page.focus("#theme")
    tab.page.keyboard.press("Space")
    assert tab.page.inner_text("#theme") != before
    tab.page.focus("#as-it-is")
    tab.page.keyboard.press("Tab")
    with tab.page.expect_response("**/api/jobs"):
        tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector("#choice-1[aria-pressed=true]")
    tab.page.wait_for_selector(SHOWN)
    tab.page.focus("#explore-result .answer summary")
    tab.page.keyboard.press("Enter")
    assert tab.page.locator("#explore-result .answer details[open]").count() == 1
    tab.page.focus("#tab-explore")
    for _ in range(4):
        tab.page.keyboard.press("ArrowRight")
    assert tab.page.locator("#compare").is_visible()
    sides = tab.page.locator("#sides .side").count()
    tab.page.focus("#side-add")
    tab.page.keyboard.press("Enter")
    assert tab.page.locator("#sides .side").count() == sides + 1
    assert tab.page.evaluate("document.activeElement.className") == "side-method"
    tab.page.keyboard.press("Tab")
    tab.page.keyboard.press("Enter")
    assert tab.page.locator("#sides .side").count() == sides
    tab.page.focus("#tab-compare")
    for _ in range(2):
        tab.page.keyboard.press("ArrowLeft")
    tab.page.focus("#measure-given")
    tab.page.keyboard.type("permutations=100")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector("#measure-result table, #measure-job [role=alert]")
