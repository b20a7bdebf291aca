"""What tests do on the page: wait for its charts, apply a method, open a tab."""

from contextlib import suppress
from typing import Any

from tests.browser.tabs import Tab

SHOWN = "#explore:has(#keep:not([hidden])) #explore-result[aria-busy=false] figure .live svg"
SCATTER = "#explore-result figure[data-name^=scatter]"
LONG_MS = 240_000
_POINTS = """() => [...document.querySelectorAll(
    "#explore-result figure[data-name^=scatter] .mark-symbol path")]
    .map(path => path.__data__.datum).filter(datum => datum.word)"""


def points(tab: Tab) -> list[dict[str, Any]]:
    """The points of the first chart."""
    found: list[dict[str, Any]] = tab.page.evaluate(_POINTS)
    return found


def apply(tab: Tab, method: str) -> None:
    """Type a method under "More", apply it and wait for its charts."""
    if not tab.page.locator("#method").is_visible():
        tab.page.click("#more")
    tab.page.fill("#method", method)
    with tab.page.expect_response("**/api/jobs"):  # the chain is checked before
        tab.page.click("#apply")
    tab.page.wait_for_selector(SHOWN)


def press(tab: Tab, button: str) -> None:
    """Press one of the named choices and wait for its charts."""
    with tab.page.expect_response("**/api/jobs"):
        tab.page.click(button)
    tab.page.wait_for_selector(SHOWN)


def stop_tables(tab: Tab) -> None:
    """Cancel the full tables, for which files would wait, unless they are there already."""
    from playwright.sync_api import TimeoutError as Late

    tab.page.wait_for_selector("#tables-job .cancel, #tables-result table", timeout=LONG_MS)
    with suppress(Late):
        tab.page.click("#tables-job .cancel", timeout=1_000)
