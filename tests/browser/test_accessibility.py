"""axe-core on every tab, in both themes and at both widths; and the page by keys alone."""

from importlib.resources import files
from typing import Any

import pytest
from scripts.serving import Served

from tests.browser.exploring import SHOWN
from tests.browser.tabs import Tab, Tabs

AXE = "axe_playwright_python"
RUN = """() => axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html.slice(0, 160))]))"""
PANELS = """() => [0, 1].map((place) => document.querySelector(
    `#explore-result figure[data-name^=scatter] svg .concat_${place}_group`).getBoundingClientRect()
    .toJSON())"""
TABS = ("explore", "own", "measure", "probes", "compare")


def violations(tab: Tab) -> list[Any]:
    """What axe-core calls serious or critical in the page as it is now."""
    found: list[Any] = tab.page.evaluate(RUN)
    return found


@pytest.fixture(scope="module")
def axe() -> str:
    pytest.importorskip(AXE)
    return (files(AXE) / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_no_tab_has_a_serious_violation_and_nothing_is_cut(
    tabs: Tabs, server: Served, axe: str, width: int, theme: str
) -> None:
    tab = tabs.new(viewport={"width": width, "height": 900}, color_scheme=theme)
    tab.page.goto(server.address)
    tab.page.wait_for_selector(SHOWN, timeout=60_000)
    tab.page.evaluate(axe)
    tab.page.fill("#find-word", "nurse")
    tab.page.keyboard.press("Enter")
    for name in TABS:
        tab.page.click(f"#tab-{name}")
        if name == "explore":
            tab.page.click("#more")
        if name in ("measure", "compare"):
            tab.page.click(f"#{name}-start")
            tab.page.wait_for_selector(f"#{name}-result table", timeout=60_000)
        if name == "own":
            tab.page.wait_for_selector("#own-result table")
        if name == "probes":
            tab.page.wait_for_selector("#probe-start:not([disabled])")
        assert violations(tab) == [], name
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, name
    if width == 390:
        tab.page.click("#theme")
        assert violations(tab) == []
    tab.assert_quiet()
    assert tab.requests_beside(server.root) == []


def test_axe_finds_what_is_wrong(tabs: Tabs, axe: str) -> None:
    tab = tabs.new()
    tab.page.set_content("<html><body><img src='data:,'><input></body></html>")
    tab.page.evaluate(axe)
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
