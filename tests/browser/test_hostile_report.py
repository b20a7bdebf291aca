"""120 texts that try to be more than text, as words, names, titles and file names of a report."""

from pathlib import Path

import pytest

from tests.browser.hostile import harmless, with_texts
from tests.browser.opening import place_of, read
from tests.browser.tabs import Tabs
from tests.reports.hostile import PAYLOADS
from unslant.core.read_record import record_from
from unslant.core.record import Record
from unslant.core.visible import visible
from unslant.reports.page import page

CONTROLS = [harmless(text, number) for number, text in enumerate(PAYLOADS)]


@pytest.fixture(scope="module")
def reports(record: Record, folder: Path) -> tuple[Path, Path]:
    """A report with the hostile texts, and one with harmless texts of the same lengths."""
    paths = folder / "hostile.html", folder / "harmless.html"
    for path, texts in zip(paths, (PAYLOADS, CONTROLS), strict=True):
        path.write_text(page(record_from(with_texts(record.to_dict(), texts))), encoding="utf-8")
    return paths


def test_hostile_texts_add_no_element_and_are_shown_exactly(
    tabs: Tabs, reports: tuple[Path, Path]
) -> None:
    hostile, control = (read(tabs, path) for path in reports)
    assert hostile.tags() == control.tags()
    hostile.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    shown = hostile.page.inner_text("body")
    assert [text for text in PAYLOADS if visible(text) not in shown] == []
    assert hostile.page.title() != "1"
    hostile.assert_quiet()
    assert hostile.requests_beside(reports[0].as_uri()) == []


def test_hostile_words_are_text_in_tips_too(
    tabs: Tabs, reports: tuple[Path, Path], record: Record
) -> None:
    hostile = read(tabs, reports[0])
    told = set()
    hostile.page.locator(f"{place_of('scatter', record)} .live").focus()
    for _ in range(len(PAYLOADS)):
        hostile.page.keyboard.press("ArrowRight")
        told.add(hostile.page.inner_text(".tip dd >> nth=0"))
    assert len(told) > 50
    assert told <= {visible(text) for text in PAYLOADS}
    assert hostile.page.locator(".tip *:not(dl, dt, dd)").count() == 0
    hostile.assert_quiet()
