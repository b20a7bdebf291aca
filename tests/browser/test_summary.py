"""The first screen of a report answers the question, and one sheet of paper holds the answer."""

from pathlib import Path

import pytest

from tests.browser.opening import place_of, read
from tests.browser.tabs import Tabs
from unslant.core.record import Record

FOLD = 800
PAPER = {"width": 688, "height": 1001}
"""A4 within the margins of the style sheet, in CSS pixels."""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_verdict_and_figure_are_on_the_first_screen(
    tabs: Tabs, report: Path, width: int, theme: str
) -> None:
    tab = read(tabs, report, viewport={"width": width, "height": FOLD}, color_scheme=theme)
    for place in (".verdict", "#figure-1 .live svg"):
        box = tab.page.locator(place).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= FOLD, place
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width, place
    tab.assert_quiet()


def test_the_summary_fits_one_sheet_and_details_begin_on_the_next(tabs: Tabs, report: Path) -> None:
    tab = read(tabs, report, viewport=PAPER)
    tab.page.emulate_media(media="print")
    box = tab.page.locator(".summary").bounding_box()
    assert box is not None
    assert 200 < box["y"] + box["height"] <= PAPER["height"]
    assert tab.style(".summary", "break-after") == "page"


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
