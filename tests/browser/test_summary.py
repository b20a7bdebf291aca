"""Panels and the stamp of a report."""

from pathlib import Path

from tests.browser.opening import place_of, read
from tests.browser.tabs import Tabs
from unslant.core.record import Record


def test_panels_are_below_each_other_on_a_telephone_and_beside_each_other_elsewhere(
    tabs: Tabs, report: Path, record: Record
) -> None:
    tops = {}
    for width in (1280, 390):
        tab = read(tabs, report, viewport={"width": width, "height": 844})
        panels = tab.page.locator(
            f"{place_of('scatter', record)} .live svg .concat_0_group"
        ).count()
        tops[width] = tab.page.eval_on_selector_all(
            f"{place_of('scatter', record)} .live svg .role-scope .role-title text",
            "all => all.map(one => Math.round(one.getBoundingClientRect().top))",
        )
        assert panels <= 1
    assert len(tops[1280]) == len(tops[390]) == 2
    assert tops[1280][0] == tops[1280][1]
    assert tops[390][1] - tops[390][0] > 150


def test_the_stamp_says_when_and_by_which_version(tabs: Tabs, report: Path, record: Record) -> None:
    said = read(tabs, report).page.locator(".stamp").inner_text()
    assert record.provenance["date"] in said
    assert f"Unslant {record.provenance['unslant']}" in said
