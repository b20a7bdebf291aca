"""The system's Chromium, driven by playwright: for the pictures, the benchmarks and the tests."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",  # whoever builds in a container is root, whom Chromium gives no sandbox
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class NoBrowserError(RuntimeError):
    """There is no browser here, or nothing to drive it with."""


@contextmanager
def chromium() -> Iterator["Browser"]:
    """A browser without a window, which ends with the block."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError as error:
        raise NoBrowserError("playwright is not installed") from error
    paths = [found for name in NAMES if (found := shutil.which(name))]
    if not paths:
        raise NoBrowserError(f"no browser is here: none of {', '.join(NAMES)} is on the path")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=paths[0], args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()
