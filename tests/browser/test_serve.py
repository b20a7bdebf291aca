"""The page of ``unslant serve`` in a browser: look, change, ask, compare, cancel and keep."""

import json
import re
from pathlib import Path
from typing import Any

from tests.browser.exploring import LONG_MS, SHOWN, apply, points, press, stop_tables
from tests.browser.opening import read
from tests.browser.tabs import Tab, Tabs
from unslant.vectors import load


def mean_gap(some: list[dict[str, Any]]) -> float:
    return float(sum(abs(point["y"] - point["x"]) for point in some) / len(some))


def choose_built_in(tab: Tab) -> None:
    tab.page.select_option("#vectors", "v0")
    tab.page.wait_for_selector(SHOWN)


def test_a_chart_shows_the_words_of_the_built_in_vectors(tab: Tab) -> None:
    choose_built_in(tab)
    words = {point["word"] for point in points(tab)}
    assert {"nurse", "teacher"} <= words
    assert "strongest association" in tab.page.inner_text("#explore-result .answer")


def test_a_method_moves_the_points_and_taking_it_back_returns_them(tab: Tab) -> None:
    before = points(tab)
    apply(tab, "hard | misp")
    both = points(tab)
    assert len(both) == 2 * len(before)
    left, right = both[: len(before)], both[len(before) :]
    assert [(at["word"], at["x"], at["y"]) for at in left] == [
        (at["word"], at["x"], at["y"]) for at in before
    ]
    assert mean_gap(right) < 0.8 * mean_gap(left)
    press(tab, "#as-it-is")
    assert points(tab) == before


def test_a_chain_that_cannot_run_is_explained_and_changes_nothing(tab: Tab) -> None:
    before = points(tab)
    tab.page.click("#more")
    tab.page.fill("#method", "hrad")
    tab.page.wait_for_selector("#method-check.wrong")
    assert "hard" in tab.page.inner_text("#method-check")
    tab.page.click("#apply")
    tab.page.wait_for_selector("#method:focus")
    assert points(tab) == before


def downloaded(tab: Tab, button: str, target: Path) -> str:
    """Press a button of what can be kept, save what comes, and say what it was called."""
    with tab.page.expect_download(timeout=LONG_MS) as download:
        tab.page.click(f"#keepers {button}")
    download.value.save_as(target)
    return str(download.value.suggested_filename)


def test_an_audit_can_be_cancelled_and_run_to_its_end(tab: Tab, tmp_path: Path) -> None:
    tab.page.click("#measure-all")
    tab.page.click("#tables-job .cancel")
    tab.page.wait_for_selector("#tables-job >> text=Cancelled.")
    assert tab.page.locator("#tables-result table").count() == 0
    tab.page.click("#measure-all")
    tab.page.wait_for_selector("#tables-result table", timeout=LONG_MS)
    assert tab.page.locator("#tables-result tbody tr").count() > 60
    assert downloaded(tab, ".get-record", tmp_path / "record.json") == "unslant-record.json"
    record = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert record["resource"]["facts"]["words"] == 12_000
    assert len(record["results"]) > 60


def test_what_a_method_did_is_kept_and_the_report_opens_from_disk(
    tab: Tab, tabs: Tabs, tmp_path: Path
) -> None:
    apply(tab, "hard")
    stop_tables(tab)
    report = tmp_path / "report.html"
    assert downloaded(tab, ".get-report", report) == "unslant-report.html"
    other = read(tabs, report)
    assert "hard" in other.page.inner_text("h1")
    other.assert_quiet()
    assert other.requests_beside(report.as_uri()) == []
    name = downloaded(tab, ".get-file", tmp_path / "fair.safetensors")
    assert name == "small.hard.safetensors"
    assert load(tmp_path / "fair.safetensors").content_hash != ""


def test_words_of_ones_own_get_an_interval_and_a_missing_one_is_named(tab: Tab) -> None:
    tab.page.click("#tab-own")
    tab.page.fill("#own-words", "nurse engineer zzqx")
    tab.page.wait_for_selector("#own-missing >> text=zzqx")
    rows = dict(re.findall(r"(nurse|engineer)\s+(\S+\s+\S+ to \S+)", tab.page.inner_text("#own")))
    assert re.fullmatch(r"0\.\d{3}\s+0\.\d{3} to 0\.\d{3}", rows["nurse"])
    assert re.fullmatch(r"−0\.\d{3}\s+−0\.\d{3} to −?0\.\d{3}", rows["engineer"])
    assert tab.page.locator("#own-result figure .live svg").is_visible()
    tab.page.locator("#own-groups textarea").first.fill("")
    tab.page.wait_for_selector("#own-job [role=alert]")
    assert "has no words" in tab.page.inner_text("#own-job")


def test_two_spaces_stand_side_by_side(tab: Tab) -> None:
    tab.page.click("#tab-compare")
    while tab.page.locator("#sides .side").count() > 2:
        tab.page.locator("#sides .side-remove").last.click()
    tab.page.locator("#sides select").first.select_option("v1")
    tab.page.locator("#sides select").last.select_option("v0")
    tab.page.locator("#sides input").last.fill("")
    tab.page.click("#compare-start")
    tab.page.wait_for_selector("#compare-result figure .live svg")
    headings = tab.page.inner_text("#compare-result figure[data-name^=scatter] >> nth=0")
    assert "small" in headings
    assert "glove.6B.100d.slice" in headings
    assert tab.page.locator("#compare-result tbody tr").count() >= 6


def test_the_theme_and_a_telephone(tab: Tab) -> None:
    before = tab.style("body", "background-color")
    tab.page.click("#theme")
    assert tab.style("body", "background-color") != before
    tab.page.set_viewport_size({"width": 390, "height": 844})
    for name in ("explore", "own", "measure", "probes", "compare"):
        tab.page.click(f"#tab-{name}")
        assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_the_tabs_are_reached_and_changed_by_keys(tab: Tab) -> None:
    tab.page.focus("#tab-explore")
    tab.page.keyboard.press("ArrowRight")
    assert tab.page.locator("#own").is_visible()
    assert not tab.page.locator("#explore").is_visible()
    tab.page.keyboard.press("Home")
    assert tab.page.locator("#explore").is_visible()
